package httpapi

import "testing"

func TestEveryRouteIsDescribed(t *testing.T) {
	for _, e := range Endpoints(testDoor) {
		if e.About == "" || e.Gives == "" {
			t.Errorf("%s %s: say in described what it does", e.Method, e.Path)
		}
		if e.Access == "" {
			t.Errorf("%s %s: an access without a name", e.Method, e.Path)
		}
	}
}
