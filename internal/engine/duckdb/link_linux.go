package duckdb

// The C++ library is linked statically, like the engine. With the shared library,
// the loader resolves some 3,000 references at each start, to classes of the C++
// library and to exported symbols that nothing uses: 4 ms of 'da version'. The
// folder link has a linker script with that library's name, because the bindings
// request it by name.

// #cgo LDFLAGS: -L${SRCDIR}/link -static-libgcc -Wl,--no-export-dynamic
import "C"
