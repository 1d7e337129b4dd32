package reference

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/agnes-data/da/agent/agenthttp"
	httpapi "github.com/agnes-data/da/server/http"
	"github.com/agnes-data/da/workspace/filehttp"
)

// TestHTTPPageExplainsItsTypes follows every name of a type that a route or a
// field has to what explains it.
func TestHTTPPageExplainsItsTypes(t *testing.T) {
	var doors []httpapi.Door
	for _, r := range agenthttp.New(agenthttp.Config{}).Routes() {
		doors = append(doors, httpapi.Door{Method: r.Method, Path: r.Path, Takes: r.Takes, Gives: r.Gives, About: r.About})
	}
	for _, r := range filehttp.New(filehttp.Config{}).Routes() {
		doors = append(doors, httpapi.Door{Method: r.Method, Path: r.Path, Takes: r.Takes, Gives: r.Gives, About: r.About})
	}
	page := httpPage(doors)
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
