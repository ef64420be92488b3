//! Builds with real package managers, in a box without a network, or where Landlock holds them: what they need is in the caches of the box's home, which an earlier command filled.
//!
//! `test` has time for Cargo, npm and make; pip and Java are for `soak`, with packages of the system that it alone installs. Deliberately not here: that the
//! compiler runs at all (`tools`).

use std::fs;
use std::path::Path;

use orion_protocol::CommandEnd;
use orion_sandbox::{Layout, Place, toolchains};

use crate::common::Tried;

/// Files of a project, by their paths.
pub(crate) type Files = [(&'static str, &'static str)];

pub(crate) fn put(folder: &Path, files: &Files) {
    for (path, content) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
}

/// Runs each line in a box of its own, with the toolchains of this computer, and has the output of the last. Each must end with 0.
async fn built(files: &Files, lines: &[&str]) -> String {
    built_in(Tried::new().await, Place::Box, files, lines).await
}

/// The same without a box.
async fn built_for_files(files: &Files, lines: &[&str]) -> String {
    built_in(Tried::without_bwrap().await, Place::FilesOnly, files, lines).await
}

async fn built_in(tried: Tried, place: fn(Layout) -> Place, files: &Files, lines: &[&str]) -> String {
    put(tried.project(), files);
    let home = std::env::home_dir().unwrap();
    let also_readable = toolchains(&std::env::var_os("PATH").unwrap(), &home);
    let place = place(Layout { also_readable, ..tried.layout.clone() });
    let mut said = String::new();
    for line in lines {
        let (ran, output) = tried.run(place.clone(), tried.order(&format!("set -e\n{line}"))).await;
        assert_eq!(ran.ended, CommandEnd::Exited { code: 0 }, "{line}: {output}{:?}", ran.why);
        assert_eq!((ran.left_running, ran.ports), (Vec::<String>::new(), Vec::new()), "{line}");
        said = output;
    }
    said
}

/// A crate with a build script, and a project that uses it.
pub(crate) const CARGO: &Files = &[
    (
        "small/Cargo.toml",
        "[package]\nname = \"small\"\nversion = \"1.2.3\"\nedition = \"2021\"\n[workspace]\n",
    ),
    (
        "small/build.rs",
        "fn main() {
    let made = std::path::Path::new(&std::env::var_os(\"OUT_DIR\").unwrap()).join(\"made.rs\");
    std::fs::write(made, \"pub const MADE: &str = \\\"by a build script\\\";\").unwrap();
}",
    ),
    ("small/src/lib.rs", "include!(concat!(env!(\"OUT_DIR\"), \"/made.rs\"));\n"),
    (
        "app/Cargo.toml",
        "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n[dependencies]\nsmall = \"1.2\"\n",
    ),
    (
        "app/src/main.rs",
        "fn main() { println!(\"made {}\", small::MADE); }\n#[test]\nfn it_is_made() { assert!(!small::MADE.is_empty()); }\n",
    ),
];

/// The home's registry for Cargo: the crate as it would be published, and the index's line about it.
const CARGO_CACHE: &str = "cd small
cargo package --quiet --offline --no-verify --allow-dirty
registry=~/.cargo/registry-of-home; mkdir -p $registry/index/sm/al
cp target/package/small-1.2.3.crate $registry
sum=$(sha256sum $registry/small-1.2.3.crate | cut -d ' ' -f 1)
echo '{\"name\":\"small\",\"vers\":\"1.2.3\",\"deps\":[],\"cksum\":\"'$sum'\",\"features\":{},\"yanked\":false}' > $registry/index/sm/al/small
printf '[source.crates-io]\\nreplace-with = \"home\"\\n[source.home]\\nlocal-registry = \"%s\"\\n' $registry > ~/.cargo/config.toml
cd ..; rm -r small";

const CARGO_BUILD: &str =
    "cd app; cargo build --quiet --offline; ls -d ~/.cargo/registry/src/*/small-1.2.3 > /dev/null";
const CARGO_TEST: &str =
    "cd app; cargo test --quiet --offline | grep 'test result' | cut -d ';' -f 1; ./target/debug/app";

#[tokio::test]
async fn cargo_builds_and_tests_a_project_with_a_dependency_from_the_home() {
    let said = built(CARGO, &[CARGO_CACHE, CARGO_BUILD, CARGO_TEST]).await;
    assert_eq!(said, "test result: ok. 1 passed\nmade by a build script\n");
}

// C3
#[tokio::test]
async fn cargo_does_so_without_a_box() {
    let said = built_for_files(CARGO, &[CARGO_CACHE, CARGO_BUILD, CARGO_TEST]).await;
    assert_eq!(said, "test result: ok. 1 passed\nmade by a build script\n");
}

/// A package with a program and a script of its own for its installation, and a project that uses both.
pub(crate) const NPM: &Files = &[
    (
        "small/package.json",
        r#"{"name": "small", "version": "1.2.3", "bin": {"small": "small.js"}, "scripts": {"install": "node install.js"}}"#,
    ),
    ("small/small.js", "#!/usr/bin/env node\nconsole.log('made ' + require('./made.json').by);\n"),
    (
        "small/install.js",
        "require('fs').writeFileSync('made.json', JSON.stringify({by: 'an install script'}));\n",
    ),
    (
        "app/package.json",
        r#"{"name": "app", "version": "0.1.0", "dependencies": {"small": "^1.2.0"}, "scripts": {"test": "small && node --test --test-reporter=tap"}}"#,
    ),
    (
        "app/app.test.js",
        "require('node:test')('made', () => require('node:assert').ok(require('small/made.json').by));\n",
    ),
];

/// The home's cache of npm: the package as it would be published. The lock names the registry, as everybody's does.
const NPM_CACHE: &str = "cd small
npm pack --silent --cache ${TMPDIR:-/tmp}/npm > /dev/null
npm cache add ./small-1.2.3.tgz
sum=sha512-$(node -p 'crypto.createHash(`sha512`).update(fs.readFileSync(`small-1.2.3.tgz`)).digest(`base64`)')
cat > ../app/package-lock.json <<END
{\"name\": \"app\", \"version\": \"0.1.0\", \"lockfileVersion\": 3, \"requires\": true, \"packages\": {
  \"\": {\"name\": \"app\", \"version\": \"0.1.0\", \"dependencies\": {\"small\": \"^1.2.0\"}},
  \"node_modules/small\": {
    \"version\": \"1.2.3\", \"resolved\": \"https://registry.npmjs.org/small/-/small-1.2.3.tgz\",
    \"integrity\": \"$sum\", \"hasInstallScript\": true, \"bin\": {\"small\": \"small.js\"}
  }
}}
END
cd ..; rm -r small";

const NPM_INSTALL: &str = "cd app; npm ci --offline --no-audit --no-fund";
const NPM_TEST: &str = "cd app; npm test --silent | grep -E '^made|^# (pass|fail)'";

#[tokio::test]
async fn npm_installs_a_package_from_the_cache_of_the_home_and_runs_the_tests() {
    let said = built(NPM, &[NPM_CACHE, NPM_INSTALL, NPM_TEST]).await;
    assert_eq!(said, "made an install script\n# pass 1\n# fail 0\n");
}

// C3
#[tokio::test]
async fn npm_does_so_without_a_box() {
    let said = built_for_files(NPM, &[NPM_CACHE, NPM_INSTALL, NPM_TEST]).await;
    assert_eq!(said, "made an install script\n# pass 1\n# fail 0\n");
}

/// A package of Python whose wheel a few lines of its own make, since a backend would have to be installed, and a project that uses it.
const PIP: &Files = &[
    (
        "small/pyproject.toml",
        "[build-system]\nrequires = []\nbuild-backend = \"backend\"\nbackend-path = [\".\"]\n",
    ),
    (
        "small/backend.py",
        "import zipfile
def build_wheel(folder, config_settings=None, metadata_directory=None):
    name, info = 'small-1.2.3-py3-none-any.whl', 'small-1.2.3.dist-info'
    with zipfile.ZipFile(f'{folder}/{name}', 'w') as wheel:
        wheel.writestr('small.py', 'def said():\\n    print(\"made by a wheel\")\\n')
        wheel.writestr(f'{info}/METADATA', 'Metadata-Version: 2.1\\nName: small\\nVersion: 1.2.3\\n')
        wheel.writestr(f'{info}/WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
        wheel.writestr(f'{info}/entry_points.txt', '[console_scripts]\\nsmall = small:said\\n')
        wheel.writestr(f'{info}/RECORD', '')
    return name
",
    ),
    (
        "app/test_app.py",
        "import small, unittest\nclass Made(unittest.TestCase):\n    def test_made(self): small.said()\n",
    ),
];

const C: &Files = &[
    (
        "Makefile",
        "CFLAGS = -O1 -Wall -MMD\nobjects = main.o made.o\nmade: $(objects)\n\t$(CC) -o $@ $^ -lm -lpthread\ntest: made\n\t./made\n-include $(objects:.o=.d)\n",
    ),
    ("made.h", "const char *made(void);\n"),
    ("made.c", "#include \"made.h\"\nconst char *made(void) { return \"by make\"; }\n"),
    (
        "main.c",
        "#include <stdio.h>\n#include \"made.h\"\nint main(void) { printf(\"made %s\\n\", made()); }\n",
    ),
];

const JAVA: &Files = &[
    (
        "src/app/Main.java",
        "package app;
public class Main {
    public static void main(String[] names) throws Exception {
        var thread = new Thread(() -> System.out.println(\"made \" + new small.Made().by()));
        thread.start();
        thread.join();
    }
}",
    ),
    (
        "src/small/Made.java",
        "package small;\npublic record Made() { public String by() { return \"by javac\"; } }",
    ),
];

#[tokio::test]
async fn make_builds_a_project_in_c_and_again_what_has_changed() {
    let changed = "sed -i 's/by make/by make again/' made.c; make test";
    let said = built(C, &["make --silent -j2", changed]).await;
    assert_eq!(said.lines().last(), Some("made by make again"), "{said}");
    assert!(said.contains("-o made.o made.c") && !said.contains("main.c"), "{said}");
}

#[tokio::test]
async fn pip_builds_a_wheel_and_installs_it_from_the_home_into_an_environment_of_the_project() {
    if !orion_thorough::is_whole() {
        return;
    }
    let wheel = "python3 -m venv app/venv; . app/venv/bin/activate
pip wheel --disable-pip-version-check --quiet --no-index --wheel-dir ~/wheels ./small; rm -r small";
    let test = ". app/venv/bin/activate
pip install --disable-pip-version-check --quiet --no-index --find-links ~/wheels small
small; cd app; python3 -m unittest --quiet";
    assert_eq!(built(PIP, &[wheel, test]).await.lines().next(), Some("made by a wheel"));
}

#[tokio::test]
async fn java_compiles_and_runs_a_project_with_threads() {
    if !orion_thorough::is_whole() {
        return;
    }
    let javac = "javac -d classes $(find src -name '*.java')
jar --create --file app.jar --main-class app.Main -C classes .";
    assert_eq!(built(JAVA, &[javac, "java -jar app.jar"]).await, "made by javac\n");
}
