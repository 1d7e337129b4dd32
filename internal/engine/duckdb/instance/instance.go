// Package instance opens instances of the engine, which package duckdb then owns.
// It imports next to nothing, so that Begin can open the first one while Go still
// initializes the other packages of a program.
package instance

/*
#include <stdlib.h>
#include "open.h"
*/
import "C"

import (
	"maps"
	"slices"
	"unsafe"
)

// InMemory is the path of an instance without a file.
const InMemory = ":memory:"

// Settings returns the settings of an instance whose caller asks for no others.
func Settings() map[string]string {
	return map[string]string{
		// No code arrives from the network because a query names a function
		// that is not linked in.
		"autoinstall_known_extensions": "false",
		"autoload_known_extensions":    "false",
		"preserve_insertion_order":     "false",
		"temp_directory":               "",
		// Types that Arrow lacks travel with their name instead of as a look-alike.
		"arrow_lossless_conversion": "true",
		// Class and position of an error as fields instead of text.
		"errors_as_json": "true",
	}
}

// A SettingError says which setting the engine does not take.
type SettingError struct{ Name, Value string }

func (e *SettingError) Error() string {
	return "duckdb: setting " + e.Name + ` cannot be "` + e.Value + `"`
}

// An EngineError is what the engine says, in its own notation.
type EngineError string

func (e EngineError) Error() string { return string(e) }

// Open opens an instance. The caller closes it with duckdb_close. The error is a
// SettingError or an EngineError.
func Open(path string, settings map[string]string) (unsafe.Pointer, error) {
	var config C.duckdb_config
	defer C.duckdb_destroy_config(&config)
	if C.duckdb_create_config(&config) != C.DuckDBSuccess {
		return nil, EngineError("no memory for the settings")
	}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if !set(config, name, settings[name]) {
			return nil, &SettingError{name, settings[name]}
		}
	}
	cpath := C.CString(path)
	defer C.free(unsafe.Pointer(cpath))
	var db C.duckdb_database
	var message *C.char
	if C.da_open(cpath, &db, config, &message) != C.DuckDBSuccess {
		defer C.duckdb_free(unsafe.Pointer(message))
		return nil, EngineError(C.GoString(message))
	}
	return unsafe.Pointer(db), nil
}

func set(config C.duckdb_config, name, value string) bool {
	cname, cvalue := C.CString(name), C.CString(value)
	defer C.free(unsafe.Pointer(cname))
	defer C.free(unsafe.Pointer(cvalue))
	return C.duckdb_set_config(config, cname, cvalue) == C.DuckDBSuccess
}

// first receives the instance that Begin opens, and is closed afterwards. It is nil
// until Begin is called.
var first chan unsafe.Pointer

// Begin starts to open an instance in memory with Settings, for the first caller of
// First. It is called while packages are initialized, before anybody can open one.
func Begin() {
	opened := make(chan unsafe.Pointer, 1)
	first = opened
	go func() {
		defer close(opened)
		if db, err := Open(InMemory, Settings()); err == nil { // who opens another one gets the error
			opened <- db
		}
	}()
}

// First waits until the instance of Begin is open, and returns it to its first caller.
// It returns nil to others, and if Begin was not called or failed.
func First() unsafe.Pointer {
	if first == nil {
		return nil
	}
	return <-first
}
