//! Secrets that are planted in texts of every form that is known to have some: none may stay. And texts that look alike and have none: each
//! stays as it is.

use std::fmt::Write as _;

use super::{RedactOptions, Redactor};

/// Numbers that are the same each time.
struct Dice(u64);

impl Dice {
    fn next_below(&mut self, below: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below
    }

    fn random_word(&mut self, letters: &str, length: usize) -> String {
        let letters: Vec<char> = letters.chars().collect();
        (0..length).map(|_| letters[self.next_below(letters.len())]).collect()
    }

    fn pick_word<'t>(&mut self, words: &[&'t str]) -> &'t str {
        words[self.next_below(words.len())]
    }

    /// Draws a password as people choose one.
    fn random_password(&mut self) -> String {
        const WORDS: [&str; 8] =
            ["hunter", "Sommer", "dragon", "Zebra", "monkey", "Passat", "kestrel", "Mango"];
        let (word, number) = (self.pick_word(&WORDS), self.next_below(9000) + 10);
        match self.next_below(4) {
            0 => format!("{word}{number}"),
            1 => format!("{word}{number}!"),
            2 => format!("{word}-{number}-{}", self.pick_word(&WORDS)),
            _ => self.random_word(ALNUM, 14) + "7a",
        }
    }
}

const ALNUM: &str = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const HEX: &str = "0123456789abcdef";
const BECH: &str = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L";
const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// A text and the secret in it.
type PlantedText = (String, String);

/// Returns a form of a text; `¤` is where the secret is.
fn fill_form(form: &str, secret: &str) -> PlantedText {
    (form.replace('¤', secret), secret.to_owned())
}

/// Draws keys that are known by how they look. The beginnings are in two parts, so that no scanner takes this file for
/// a leak.
fn random_keys(dice: &mut Dice) -> Vec<String> {
    vec![
        format!("{}{}", "AGE-SECRET-", "KEY-1") + &dice.random_word(BECH, 58),
        format!("{}{}", "gh", "p_") + &dice.random_word(ALNUM, 36),
        format!("{}{}", "dckr_", "pat_") + &dice.random_word(ALNUM, 27),
        format!("{}{}", "hv", "s.") + &dice.random_word(ALNUM, 40),
        format!("{}{}", "shp", "at_") + &dice.random_word(HEX, 32),
        format!("{}{}", "figd", "_") + &dice.random_word(ALNUM, 40),
        format!("{}{}", "lin_", "api_") + &dice.random_word(ALNUM, 40),
        format!("{}{}", "xo", "xb-")
            + &dice.random_word("0123456789", 12)
            + "-"
            + &dice.random_word(ALNUM, 24),
        format!("{}{}", "AK", "IA") + &dice.random_word("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16),
        format!("{}{}", "LT", "AI") + &dice.random_word(ALNUM, 20),
        format!("{}{}", "sq0", "csp-") + &dice.random_word(ALNUM, 43),
        format!("{}{}", "da", "pi") + &dice.random_word(HEX, 32),
        format!("{}{}", "sk-", "ant-api03-") + &dice.random_word(ALNUM, 40),
        format!("{}{}", "pul", "-") + &dice.random_word(HEX, 40),
        format!("$2b$12${}", dice.random_word(ALNUM, 53)),
        format!("$6${}${}", dice.random_word(ALNUM, 8), dice.random_word(ALNUM, 86)),
    ]
}

const AROUND_KEYS: [&str; 5] = [
    "before ¤ after",
    "{\"key\": \"¤\"}",
    "# public key: age1xyz\n¤\n",
    "export X='¤'",
    "| name | ¤ |",
];

/// Forms of text with a password that people choose.
const AROUND_PASSWORDS: [&str; 131] = [
    // command lines
    "curl -u ann:¤ https://example.org/x",
    "curl -s -X POST -u 'ann:¤' https://example.org",
    "curl --user \"ann:¤\" https://example.org",
    "curl -uann:¤ ftp://example.org",
    "curl --proxy-user ann:¤ -x proxy:3128 https://example.org",
    "http -a ann:¤ PUT example.org/x",
    "mysql -u root -p¤ -h db shop",
    "mysqldump -uroot -p'¤' shop > x.sql",
    "mysql --user=root --password=¤ shop",
    "/usr/bin/mysqladmin -u root -p\"¤\" status",
    "sshpass -p ¤ ssh ann@example.net",
    "sshpass -p '¤' scp a b:",
    "sshpass -p¤ ssh ann@h",
    "docker login -u ann -p ¤ registry.example.net",
    "docker login --username ann --password ¤ quay.io",
    "podman login quay.io -u ann -p '¤'",
    "helm registry login -u ann -p ¤ example.net",
    "skopeo copy --src-creds ann:¤ docker://a docker://b",
    "az login -u ann -p ¤",
    "oc login -u ann -p ¤ https://api.example.net:6443",
    "vault login ¤",
    "redis-cli -h db -a ¤ ping",
    "redis-cli CONFIG SET requirepass ¤",
    "PGPASSWORD=¤ psql -h db -U ann",
    "PGPASSWORD='¤' pg_dump shop",
    "MYSQL_PWD=¤ mysql -u root",
    "SSHPASS=¤ sshpass -e ssh h",
    "psql -c \"ALTER USER ann WITH PASSWORD '¤'\"",
    "sudo -u postgres psql -c \"ALTER USER postgres PASSWORD '¤';\"",
    "ALTER ROLE ann WITH LOGIN ENCRYPTED PASSWORD '¤';",
    "CREATE ROLE app WITH LOGIN PASSWORD '¤';",
    "CREATE USER app PASSWORD '¤'",
    "CREATE USER 'app'@'%' IDENTIFIED BY '¤';",
    "GRANT ALL ON shop.* TO app IDENTIFIED BY '¤'",
    "ALTER USER root IDENTIFIED WITH mysql_native_password BY '¤';",
    "SET PASSWORD FOR root = PASSWORD('¤');",
    "CREATE LOGIN app WITH PASSWORD = '¤';",
    "htpasswd -b .htpasswd ann ¤",
    "htpasswd -cb /etc/nginx/.htpasswd ann '¤'",
    "htpasswd -nbB ann ¤",
    "openssl enc -aes-256-cbc -pass pass:¤ -in a -out b",
    "openssl rsa -in k.pem -passin pass:¤",
    "openssl pkcs12 -export -passout 'pass:¤'",
    "openssl enc -d -aes256 -k ¤ -in x",
    "mongosh -u ann -p ¤ --host db",
    "mongodump --username ann --password ¤",
    "sqlcmd -S db -U sa -P '¤'",
    "sqlplus ann/¤@//db:1521/x",
    "ldapsearch -x -D cn=admin -w ¤ -b dc=x",
    "smbclient //srv/share -U ann%¤",
    "net use Z: \\\\srv\\share ¤ /user:ann",
    "net use \\\\srv\\share /user:DOM\\ann ¤",
    "net user ann ¤ /add",
    "cmdkey /add:srv /user:ann /pass:¤",
    "zip -r -P ¤ x.zip x",
    "7z a -p¤ x.7z x",
    "keytool -list -keystore k.jks -storepass ¤",
    "ssh-keygen -t ed25519 -N '¤' -f k",
    "echo 'ann:¤' | chpasswd",
    "echo \"ann:¤\" | sudo chpasswd",
    "echo ¤ | sudo -S apt update",
    "echo '¤' | passwd --stdin ann",
    "gpg --batch --passphrase ¤ -d x.gpg",
    "twine upload -u ann -p ¤ dist/*",
    "rabbitmqctl add_user ann ¤",
    "wpa_passphrase HomeNet '¤'",
    "nmcli dev wifi connect HomeNet password ¤",
    "xfreerdp /u:ann /p:¤ /v:srv",
    "docker run -e MYSQL_ROOT_PASSWORD=¤ mysql",
    "git clone https://ann:¤@example.net/x.git",
    "lftp -u ann,¤ ftp.example.net",
    // files
    "machine example.net login ann password ¤",
    "machine example.net\n  login ann\n  password ¤\n",
    "default login anonymous password ¤",
    "machine api.example.net password ¤ login ann",
    "[remote]\ntype = sftp\nhost = example.net\nuser = ann\npass = ¤\n",
    "[crypt]\ntype = crypt\npassword = ¤\npassword2 = x\n",
    "[gdrive]\ntype = drive\nclient_secret = ¤\nscope = drive\n",
    "[client]\nuser=root\npassword=¤\n",
    "password: >-\n  ¤\nuser: ann\n",
    "db:\n  password: |\n    ¤\n  host: x\n",
    "auth:\n  passphrase: >\n      ¤\n",
    "- name: x\n  ansible_password: |-\n    ¤\n",
    "password = \"\"\"\n¤\n\"\"\"",
    "password:\n  ¤\nuser: x",
    "  password: \"¤\"",
    "spring.datasource.password=¤",
    "DB_PASS=¤\nDB_USER=ann",
    "SMTP_PASSWORD=¤ # mail",
    "name,email,password\nann,x,¤\n",
    "id\tuser\tpassword\n1\tann\t¤\n",
    "user;passwort;role\nann;¤;admin\n",
    "\"user\",\"password\"\n\"ann\",\"¤\"\n",
    "| user | password |\n| --- | --- |\n| ann | ¤ |\n",
    " id | login | password \n----+-------+----------\n  1 | ann   | ¤ \n",
    "<password>¤</password>",
    "<server><id>x</id><username>ann</username><password>¤</password></server>",
    "<add key=\"DbPassword\" value=\"¤\"/>",
    "<key>password</key>\n<string>¤</string>",
    "{\"password\": \"¤\"}",
    "  12→password: ¤",
    "+  password: ¤",
    "ｐａｓｓｗｏｒｄ：¤",
    "password＝¤",
    "密码：¤",
    // sentences
    "the password is ¤",
    "The root password is \"¤\".",
    "password for ann is ¤, use it",
    "my wifi password is now ¤!",
    "log in with password ¤ please",
    "The database password was changed to ¤.",
    "the admin password is: `¤`",
    "credentials are admin / ¤",
    "Login: ann:¤",
    "user ann, password ¤.",
    "my pw is ¤",
    // more forms of the same
    "name, email, password\nann, x, ¤\n",
    "openssl passwd -6 ¤",
    "mkpasswd -m sha-512 ¤",
    "echo ¤ | passwd ann",
    "kubectl create secret generic x --from-literal=key=¤",
    "$p = ConvertTo-SecureString \"¤\" -AsPlainText -Force",
    "builder.withPassword(\"¤\")",
    "pass=¤\n",
    "PASS=\"¤\"",
    "curl -d 'user=ann&password=¤' https://example.org",
    "curl -H 'X-Vault-Token: ¤' https://example.org",
    "p\u{200b}assword: ¤",
    "spring:\n  datasource:\n    password: '¤'\n",
    "jdbc:postgresql://db/shop?user=ann&password=¤",
    "Server=db;Database=shop;User Id=sa;Password=¤;",
];

/// Addresses whose password has signs of addresses.
const ADDRESSES: [&str; 8] = [
    "postgres://ann:¤@db/shop",
    "postgresql://ann:¤@localhost:5432/shop",
    "DATABASE_URL=mysql://root:¤@db.example.net/shop?x=1",
    "amqp://ann:¤@mq:5672//",
    "redis://:¤@cache:6379/0",
    "mongodb+srv://ann:¤@cluster0.example.net/x",
    "https://ann:¤@example.net/x.git",
    "ann:¤@tcp(db:3306)/shop",
];

fn planted_texts() -> Vec<PlantedText> {
    let mut dice = Dice(7);
    let mut all = vec![];
    for form in AROUND_KEYS {
        all.extend(random_keys(&mut dice).iter().map(|key| fill_form(form, key)));
    }
    for form in AROUND_PASSWORDS {
        for _ in 0..3 {
            let secret = dice.random_password();
            all.push(fill_form(form, &secret));
        }
    }
    for form in ADDRESSES {
        for signs in ["@", "/", "@/", "?#", ":"] {
            let secret =
                format!("{}{signs}{}", dice.random_word(ALNUM, 5), dice.random_word(ALNUM, 4));
            all.push((form.replace('¤', &secret), secret));
        }
    }
    for form in AROUND_PASSWORDS.iter().filter(|form| tells_of_a_word(form)) {
        all.push(fill_form(
            form,
            dice.pick_word(&["swordfish", "correct-horse-battery", "kestrels"]),
        ));
    }
    all.extend(planted_webhooks(&mut dice));
    all.extend(planted_kubernetes(&mut dice));
    all.extend(planted_phrases(&mut dice));
    all
}

/// Returns whether the form fits a word; false where a word of prose is possible too.
fn tells_of_a_word(form: &str) -> bool {
    const OF_PROSE: [&str; 8] = [
        " use it",
        " please",
        "credentials",
        "Login",
        ", password",
        "my pw",
        "pass=¤\n",
        "X-Vault",
    ];
    !OF_PROSE.iter().any(|words| form.contains(words))
}

fn planted_webhooks(dice: &mut Dice) -> Vec<PlantedText> {
    let mut all = vec![];
    for host in ["discord.com/api/webhooks", "discordapp.com/api/v10/webhooks"] {
        let secret = dice.random_word(ALNUM, 68);
        all.push((
            format!("curl https://{host}/{}/{secret} -d x", dice.random_word("123456789", 18)),
            secret,
        ));
    }
    for (before, length) in
        [("services/T0ABCDEF1/B0ABCDEF2/", 24), ("workflows/T0ABCDEF1/A0/1/", 24)]
    {
        let secret = dice.random_word(ALNUM, length);
        all.push((format!("SLACK_URL=https://hooks.slack.com/{before}{secret}"), secret));
    }
    let token = dice.random_word(ALNUM, 30);
    let rclone = format!(
        "[gdrive]\ntype = drive\ntoken = {{\"access_token\":\"ya29.{token}\",\"refresh_token\":\"1//0{token}\"}}\n"
    );
    all.push((rclone, token));
    all
}

fn planted_kubernetes(dice: &mut Dice) -> Vec<PlantedText> {
    let mut all = vec![];
    for name in ["config.yaml", "username", "dsn", "tls.key", ".dockerconfigjson", "SMTP"] {
        for form in [
            "apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\ntype: Opaque\ndata:\n  NAME: ¤\n",
            "apiVersion: v1\ndata:\n  NAME: ¤\nkind: Secret\n",
            "kind: Secret\nstringData:\n  NAME: \"¤\"\n  other: y\n",
            "kind: Secret\nstringData:\n  NAME: |\n    ¤\n",
            "{\"apiVersion\":\"v1\",\"data\":{\"NAME\":\"¤\"},\"kind\":\"Secret\"}",
            "{\n  \"kind\": \"Secret\",\n  \"data\": {\n    \"NAME\": \"¤\"\n  }\n}",
        ] {
            let secret = dice.random_word(BASE64, 10 + dice.0 as usize % 5) + "==";
            all.push(fill_form(&form.replace("NAME", name), &secret));
        }
    }
    for name in ["client-key-data", "token"] {
        let secret = dice.random_word(BASE64, 64);
        all.push((format!("users:\n- name: ann\n  user:\n    {name}: {secret}\n"), secret));
    }
    all
}

fn planted_phrases(dice: &mut Dice) -> Vec<PlantedText> {
    let list: Vec<&str> = trajview_assets::SEED_WORDS.lines().collect();
    let mut all = vec![];
    for length in [12, 24] {
        for form in ["seed: ¤", "¤", "mnemonic = \"¤\"", "My recovery phrase is ¤.", "wallet\n¤\n"]
        {
            let words: Vec<&str> = (0..length).map(|_| dice.pick_word(&list)).collect();
            all.push(fill_form(form, &words.join(" ")));
        }
    }
    all
}

fn redact_here(text: &str) -> String {
    Redactor::new(&RedactOptions::default()).redact_text("here", text).into_owned()
}

#[test]
fn of_hundreds_of_planted_secrets_none_stays() {
    let planted = planted_texts();

    let mut stays = String::new();
    for (text, secret) in &planted {
        let shown = redact_here(text);
        // Neither the whole nor half of it; half of a word may be another.
        let parts = [&secret[..secret.len().div_ceil(2)], &secret[secret.len() / 2..]];
        let is_drawn = secret.bytes().any(|byte| byte.is_ascii_digit());
        let has_part = parts.iter().any(|part| is_drawn && part.len() >= 4 && shown.contains(part));
        if has_part || shown.contains(secret.as_str()) {
            writeln!(stays, "{secret}\n    in {text:?}\n    is {shown:?}").unwrap();
        }
    }

    assert!(planted.len() > 400, "{}", planted.len());
    assert_eq!(stays, "");
}

#[test]
fn planted_secrets_are_found_within_the_json_of_a_call() {
    let mut stays = String::new();
    for (text, secret) in planted_texts() {
        let call =
            serde_json::json!({"command": format!("cat > x <<'EOF'\n{text}\nEOF")}).to_string();
        let twice = serde_json::json!({ "arguments": call }).to_string();
        for text in [call, twice] {
            let shown = redact_here(&text);
            if shown.contains(&secret) {
                writeln!(stays, "{secret}\n    in {text:?}\n    is {shown:?}").unwrap();
            }
        }
    }

    assert_eq!(stays, "");
}

#[test]
fn what_looks_like_a_secret_and_is_none_stays() {
    let mut changed = String::new();
    for text in HARMLESS {
        let shown = redact_here(text);
        if shown != *text {
            writeln!(changed, "{text:?}\n is {shown:?}").unwrap();
        }
    }

    assert_eq!(changed, "");
}

const HARMLESS: [&str; 83] = [
    "the login page has a password field, a login: button and credentials/session code",
    "- login, logout, password reset (password change) and credentials handling",
    "user.setPassword(hash); builder.withPassword(env.get(\"X\"))",
    "echo done | tee log; passwd --status ann",
    "{\"kind\":\"ConfigMap\",\"data\":{\"a\":\"some value\"}}",
    "blazars can be identified by hovering your cursor; critical states identified by our method",
    "| slice | pass | fail |\n| --- | --- | --- |\n| strict | strict_pass_rate | 12 |\n",
    "max_tokens = 4096\nn_tokens: 12345678",
    "password: String,\n    token: Option<String>,",
    "mysql -u root -p",
    "mysql -u root -p shop < dump.sql",
    "ssh -p 8080 example.net",
    "docker run -p 8080:80 -v /a:/b nginx",
    "docker login registry.example.net",
    "docker login -u ann --password-stdin",
    "echo $TOKEN | docker login -u ann --password-stdin",
    "curl -u $USER:$PASS https://example.org",
    "curl -u \"${USER}:${PASSWORD}\" https://example.org",
    "curl -u ann https://example.org",
    "mkdir -p src/a && cp -p a b",
    "sshpass -e ssh h",
    "sshpass -p \"$PASSWORD\" ssh h",
    "redis-cli -h db -p 6379 ping",
    "openssl rsa -in k.pem -passin env:PASS",
    "net use Z: /delete",
    "zip -r x.zip x",
    "7z a x.7z x",
    "ssh-keygen -t ed25519 -N '' -f k",
    "psql -h db -p 5432 -U ann shop",
    "the password is required",
    "The password is too short.",
    "password is stored as a hash",
    "the password is not set, and the token is missing",
    "The user's password is invalid.",
    "if the password is correct, the user is logged in",
    "passwords are hashed with bcrypt; the password is never logged",
    "the password was changed by the user",
    "reset the password to continue",
    "use the password manager",
    "with password authentication disabled",
    "ALTER TABLE users ADD COLUMN password VARCHAR(255) NOT NULL;",
    "ALTER USER ann WITH PASSWORD :'pw'",
    "CREATE TABLE t (id int, password text);",
    "IDENTIFIED BY %s",
    "def check(password: str) -> bool:\n    return verify(password)",
    "password = getpass.getpass()",
    "let password = read_line()?;",
    "const { password } = req.body;",
    "password:\n  type: string\n  minLength: 8\n",
    "properties:\n  token:\n    description: the token of the user\n    type: string\n",
    "description: >-\n  The password of the user, which is\n  required.\n",
    "login, password, token\nanother, line, here",
    "from auth import login, password\nfrom x import a, b",
    "model,input_tokens,output_tokens\ngpt,123456,7890\n",
    "token,pos,count\nrunning,VERB,12\nquickly,ADV,7\n",
    "| column | meaning |\n| --- | --- |\n| password | the hash of the password |\n",
    "kind: ConfigMap\ndata:\n  a: some value\n  b: \"other\"\n",
    "data:\n  - 1\n  - 2\n",
    "machine learning is fun; the default login page asks for a password",
    "the virtual machine root password is required",
    "http://localhost:4873/@types/node",
    "https://registry.npmjs.org:443/@babel/core/-/core-7.2.0.tgz",
    "https://example.org/@ann/post-1",
    "see https://medium.com/@ann: it is good",
    "\"integrity\": \"sha512-9Qa5m1o3vJ0yq3c2R3k1bZ5XK3mYt7nVb0Lw8sXr4aQe6dTf2hGj1kUiOpLzXcVbNmAsDfGhJkQwErTyUiOpA==\"",
    "commit da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "index 83db48f..bf2ef5c 100644",
    "id: 054395ac-4290-4fcf-ab21-925712a16d08",
    "assert_eq!(token, Token::Ident(\"password\"));",
    "print(\"password:\\n\")",
    "raise ValueError('password is required\\n')",
    "the model can change any file about which the person would ask, and cost is part of it",
    "keys = ['apple', 'banana']\nvalues = ['a', 'b']",
    "[section]\nkey = value\nname = x\n",
    "[tool.poetry]\nname = \"x\"\nkeywords = [\"password\", \"token\"]\n",
    "PASSWORD_HASHERS = [\n    'django.contrib.auth.hashers.PBKDF2PasswordHasher',\n]",
    "TOKEN_TYPE=bearer\nMAX_TOKENS=4096\n",
    "passwd: files systemd\nshadow: files\n",
    "root:x:0:0:root:/root:/bin/bash",
    "<password></password><token>{{ token }}</token>",
    "<input type=\"password\" name=\"password\" placeholder=\"Password\">",
    "ＡＢＣ：全角文字のテスト",
    "$1 and $2 are arguments; awk '{print $1$2}'",
];
