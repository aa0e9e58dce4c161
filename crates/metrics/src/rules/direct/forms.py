# TODO: code for a test of rules; it is read, not run.
def first(a, xs):
    xs.append(a)  # a comment
    a = a
    b = None
    print(a, "end", b)
    print(a, b, "end", 1, 2)
    print("end")
    c = f(a, b) or f(a, b)
    d = f(a) or f(b)
    g(a, b, c)
    g(a, b)
    g(a)
    if isinstance(a, int):
        one()
        # between
        two()
        three()
    if isinstance(a, str):
        one()  # after
    return b


def second(xs):
    pass
    e = {"key": xs, "other": 1}
    v = 1
    if not len(xs) or len(xs) == 0:
        raise ValueError("no", "xs")
    if xs:
        return dict(xs)
    e = a + a
    e = a + b
    g(x, 2, y)
    h(1, "last")
    w = [1, 2]
    while e:
        with e:
            yield e
    for x in xs:
        if x:
            break
        continue
    for x in xs:
        break
    for x in xs:
        def inner():
            continue
    try:
        k = list([1])
        k = tuple([i for i in xs])
        k = list(xs)
        k = set([1])
    except OSError:
        raise
    result = k
    return result
