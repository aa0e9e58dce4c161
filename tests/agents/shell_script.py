"""What the scripted model does in the tests of an agent whose only tool is a shell; the words are those of sample-runs/recorder."""
import scripting
from scripting import shell, step, turn

turn("Write hello.txt with the word hello.",
     step("Writing it.", shell("echo hello > hello.txt")),
     step("Looking at it.", shell("cat hello.txt")),
     step("There it is."), checkpoint="c1")
turn("Now make a folder called notes,\nand move hello.txt into it.",
     step("Moving it.", shell("mkdir notes && mv hello.txt notes/")),
     step("Moved."))
turn("What is in it?",
     step("Listing.", shell("ls notes; false")),
     step("hello.txt."), checkpoint="c2")

SCRIPT = scripting.script("shell", "emergent", "A shell", {}, [], "A folder with a file.", [], "nobody")
