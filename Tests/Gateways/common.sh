# Functions of the `run` scripts. RUN is the folder of their files.

: "${RUN:?the folder of this kit\'s files}"
mkdir -p "$RUN"
RUN=$(cd "$RUN" && pwd)
names=""

fail() {
    echo "$kit: $*" >&2
    exit 1
}

need() {
    [ -x "$1" ] || command -v "$1" >/dev/null || fail "$1 is not installed: scripts/setup --tests"
}

# Replaces @NAME@ in a file by the variable NAME: fill FILE NAME...
fill() {
    local text variable
    text=$(cat "$1")
    shift
    for variable in "$@"; do
        text=${text//@$variable@/${!variable}}
    done
    printf '%s\n' "$text"
}

# Starts a program in its own process group; it ends with this script, even if that is killed.
# spawn NAME COMMAND...
spawn() {
    local name=$1
    shift
    setsid setpriv --pdeathsig TERM "$@" >"$RUN/$name.out" 2>&1 </dev/null &
    echo $! >"$RUN/$name.pid"
    names="$name $names"
}

wait_for_port() {
    local i
    for i in $(seq 200); do
        (exec 3<>"/dev/tcp/127.0.0.1/$2") 2>/dev/null && return 0
        kill -0 "$(cat "$RUN/$1.pid")" 2>/dev/null || break
        sleep 0.05
    done
    cat "$RUN/$1.out" >&2
    fail "$1 does not listen on port $2"
}

# Stops all programs and their children, the last one first.
stop_all() {
    local name pid i
    trap - EXIT
    for name in $names; do
        pid=$(cat "$RUN/$name.pid")
        kill -CONT -- "-$pid" 2>/dev/null
        kill "-${stop_signal[$name]:-TERM}" -- "-$pid" 2>/dev/null
        for i in $(seq 100); do
            kill -0 -- "-$pid" 2>/dev/null || break
            [ "$i" = 60 ] && kill -KILL -- "-$pid"
            sleep 0.05
            # An ended program remains in its group until `wait` reaps it.
            kill -0 "$pid" 2>/dev/null || wait "$pid" 2>/dev/null
        done
        wait "$pid" 2>/dev/null
        rm -f "$RUN/$name.pid"
    done
}

# Waits for a signal; fails if one of the programs ends.
wait_for_signal() {
    echo "ready"
    wait -n || true
    echo "$kit: a program ended; its output is in $RUN" >&2
    exit 1
}

# A certificate authority and a certificate for localhost: make_certificate FOLDER
make_certificate() {
    local subject
    mkdir -p "$1"
    (
        cd "$1"
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 \
            -keyout ca.key -out ca.pem -subj "/CN=test authority"
        openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
            -keyout server.key -out server.csr -subj "/CN=localhost"
        printf 'subjectAltName=DNS:localhost,IP:127.0.0.1\n' >names
        openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 30 \
            -extfile names -out server.pem
    ) >"$RUN/openssl.out" 2>&1 || fail "openssl failed, see $RUN/openssl.out"
}

declare -A stop_signal
trap stop_all EXIT
trap 'exit 0' TERM INT HUP
