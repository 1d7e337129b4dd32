package duckdb

// The C++ library is linked statically, as the engine is. With the shared one,
// the loader resolves some 3,000 references at each start, to the classes of the
// C++ library and to symbols that are exported and that nothing looks up: 4 ms of
// 'da version'. The folder link holds a script of that library's name, since the
// bindings ask for it by name.

// #cgo LDFLAGS: -L${SRCDIR}/link -static-libgcc -Wl,--no-export-dynamic
import "C"
