#!/usr/bin/env bash
# A throwaway Postgres with pgvector for the tests: `scripts/postgres.sh start` prints DATABASE_URL, `stop FOLDER` ends it.
# `check` says by its status whether that can work here, `build` only gets everything ready.
# Needs the server's programs, gcc and make (Debian: postgresql, build-essential). As root it runs as nobody. pgvector is
# built from its source package once and kept; nothing is written outside of the two folders.
set -euo pipefail

if [ "$(id -u)" = 0 ]; then
  user=nobody
  as() { runuser -u nobody -- "$@"; }
else
  user=$(id -un)
  as() { "$@"; }
fi
home=${COGITO_POSTGRES_HOME:-/tmp/cogito-postgres-$user}

bin=$(pg_config --bindir 2>/dev/null || true)
if [ -z "$bin" ] || [ ! -x "$bin/initdb" ]; then
  bin=$(dirname "$(ls -d /usr/lib/postgresql/*/bin/initdb 2>/dev/null | sort -V | tail -1)" 2>/dev/null || true)
fi
[ -n "$bin" ] && [ -x "$bin/initdb" ] || { echo "no Postgres server is installed" >&2; exit 3; }
version=$("$bin/postgres" --version | sed -E 's/.* ([0-9]+).*/\1/')
prefix=$home/prefix-$version
own=$prefix/lib/postgresql/$version/bin
share=$prefix/share/postgresql/$version

# Postgres finds its extensions beside its own programs, so an extension needs a copy of them.
build() {
  mkdir -p "$prefix/lib/postgresql" "$prefix/share/postgresql" "$home/apt/lists/partial" "$home/apt/cache/archives/partial"
  cp -rL "$(dirname "$bin")" "$prefix/lib/postgresql/$version"
  cp -rL "$("$bin/pg_config" --sharedir)" "$share"
  [ -e "$share/extension/vector.control" ] && return
  local source=$home/source uri key
  rm -rf "$source"; mkdir -p "$source"; cd "$source"
  uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | sort -u | grep -m1 'debian/\?$')
  key=$(dpkg -L debian-archive-keyring | grep -m1 'debian-archive-keyring\.\(gpg\|pgp\)$')
  echo "deb-src [signed-by=$key] $uri trixie main" > "$home/apt/sources.list"
  local options=(-o "Dir::Etc::sourcelist=$home/apt/sources.list" -o Dir::Etc::sourceparts=-
    -o "Dir::State::lists=$home/apt/lists" -o "Dir::Cache=$home/apt/cache" -o "APT::Sandbox::User=$(id -un)")
  apt-get "${options[@]}" -qq update
  apt-get "${options[@]}" -qq source --download-only pgvector
  apt-get -o "APT::Sandbox::User=$(id -un)" -qq download "postgresql-server-dev-$version"
  dpkg -x postgresql-server-dev-*.deb headers
  tar xzf pgvector_*.orig.tar.gz
  cd pgvector-*/
  make -s -j2 install PG_CONFIG="$own/pg_config" with_llvm=no OPTFLAGS= \
    PG_CPPFLAGS="-I$source/headers/usr/include/postgresql/$version/server"
}

# Builds what is missing, once at a time.
prepare() {
  mkdir -p "$home"
  [ -e "$home/.built-$version" ] ||
    (flock 9; [ -e "$home/.built-$version" ] || { build >&2; touch "$home/.built-$version"; }) 9> "$home/.lock"
}

free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])' 2>/dev/null ||
    node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() })'
}

case ${1:-start} in
  check)
    [ -e "$home/.built-$version" ] || { command -v gcc && command -v make && command -v apt-get; } > /dev/null ||
      { echo "pgvector cannot be built without gcc, make and apt-get" >&2; exit 3; }
    ;;
  build)
    prepare
    ;;
  start)
    prepare
    folder=$(mktemp -d "${TMPDIR:-/tmp}/cogito-postgres-run-XXXXXX")
    chmod a+rx "$home"
    chown "$user" "$folder"
    as "$own/initdb" -D "$folder/data" -U postgres -A trust --no-sync -E UTF8 --locale=C.UTF-8 > /dev/null
    port=$(free_port)
    as "$own/pg_ctl" -D "$folder/data" -l "$folder/log" -w -o "-p $port -k $folder -c listen_addresses=127.0.0.1 \
      -c fsync=${COGITO_POSTGRES_FSYNC:-off} -c max_connections=200" start > /dev/null
    echo "FOLDER=$folder"
    echo "BIN=$own"
    echo "DATABASE_URL=postgres://postgres@127.0.0.1:$port/postgres"
    ;;
  stop)
    as "$own/pg_ctl" -D "$2/data" -m immediate stop > /dev/null || true
    rm -rf "$2"
    ;;
  restart)
    as "$own/pg_ctl" -D "$2/data" -m immediate -w restart -l "$2/log" > /dev/null
    ;;
  *)
    echo "build, start, check, stop FOLDER or restart FOLDER" >&2
    exit 2
    ;;
esac
