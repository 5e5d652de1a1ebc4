#!/bin/sh
# Builds the libraries anew, with clang and lld 14 (`apt-get install clang-14 lld-14`). They are committed, because
# no test may need a compiler.
set -e
cd "$(dirname "$0")"
build() { # SOURCE [LIBRARY…]
    source=$1
    name=${source%.*}
    shift
    clang-14 --target=wasm32-unknown-emscripten -O2 -fPIC -fvisibility=hidden -fwasm-exceptions -nostdlib -c "$source" -o "$name.o"
    wasm-ld-14 --experimental-pic -shared --import-undefined --strip-all "$name.o" "$@" -o "$name.so"
    rm "$name.o"
}
build libpower.c
build tally.c
build squares.c libpower.so
build halves.cpp
build scripted.c
