package print

import (
	"reflect"
	"testing"
)

// TestDialectsAreComplete holds that a dialect has what nobody asks twice for: a
// field that was left out would be a crash at the first predicate that needs it.
func TestDialectsAreComplete(t *testing.T) {
	optional := map[string]bool{"rewrite": true, "comparison": true, "element": true, "interval": true, "moment": true, "lacks": true, "template": true}
	for name, d := range dialects {
		v := reflect.ValueOf(*d)
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.Type.Kind() == reflect.Func && v.Field(i).IsNil() && !optional[f.Name] {
				t.Errorf("%s has no %s", name, f.Name)
			}
		}
	}
}
