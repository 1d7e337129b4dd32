package main

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// TestHTTPPageExplainsItsTypes follows every name of a type that a route or a
// field has to what explains it.
func TestHTTPPageExplainsItsTypes(t *testing.T) {
	page := httpPage()
	for _, line := range strings.Split(page, "\n") {
		if !strings.HasPrefix(line, "| ") {
			continue
		}
		for _, cell := range strings.Split(line, " | ")[1:] {
			for _, name := range regexp.MustCompile(`^(?:list of |optional )*([A-Z][A-Za-z]*[a-z])(?: or null)?(?: \|)?$`).FindAllStringSubmatch(cell, -1) {
				t.Errorf("%s: nothing explains %s", line, name[1])
			}
		}
	}
	for _, v := range wireTypes {
		if name := reflect.TypeOf(v).Name(); !strings.Contains(page, "](#"+strings.ToLower(name)+")") {
			t.Errorf("no route and no field has the type %s", name)
		}
	}
}
