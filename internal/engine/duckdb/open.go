package duckdb

/*
#include <stdlib.h>
#include "capi.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"unsafe"
)

// memoryPath is the path of an instance without a file.
const memoryPath = ":memory:"

// usualSettings are those of an instance whose caller asks for no others.
func usualSettings() map[string]string {
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

// openInstance opens an instance; duckdb_close closes it.
func openInstance(path string, settings map[string]string) (C.duckdb_database, error) {
	var config C.duckdb_config
	defer C.duckdb_destroy_config(&config)
	if C.duckdb_create_config(&config) != C.DuckDBSuccess {
		return nil, errors.New("duckdb: no memory for the settings")
	}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if !set(config, name, settings[name]) {
			return nil, fmt.Errorf("duckdb: setting %s cannot be %q", name, settings[name])
		}
	}
	cpath := C.CString(path)
	defer C.free(unsafe.Pointer(cpath))
	var db C.duckdb_database
	var message *C.char
	if C.duckdb_open_ext(cpath, &db, config, &message) != C.DuckDBSuccess {
		defer C.duckdb_free(unsafe.Pointer(message))
		return nil, fmt.Errorf("open %s: %w", path, engineError(C.GoString(message)))
	}
	return db, nil
}

func set(config C.duckdb_config, name, value string) bool {
	cname, cvalue := C.CString(name), C.CString(value)
	defer C.free(unsafe.Pointer(cname))
	defer C.free(unsafe.Pointer(cvalue))
	return C.duckdb_set_config(config, cname, cvalue) == C.DuckDBSuccess
}
