package api

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestRowKeepsOrderAndDigitsAtEveryDepth(t *testing.T) {
	const text = `{"z":1,"a":{"y":12345678901234567890,"b":[{"d":1.50,"c":null},[]]},"e":{},"z":"twice"}`
	var row Row
	if err := json.Unmarshal([]byte(text), &row); err != nil {
		t.Fatal(err)
	}
	back, err := json.Marshal(row)
	if err != nil {
		t.Fatal(err)
	}
	if string(back) != text {
		t.Errorf("got  %s\nwant %s", back, text)
	}
	want := Row{Columns: []string{"y", "b"}, Values: []any{
		json.Number("12345678901234567890"),
		[]any{Row{Columns: []string{"d", "c"}, Values: []any{json.Number("1.50"), nil}}, []any{}},
	}}
	if !reflect.DeepEqual(row.Values[1], want) {
		t.Errorf("nested object: got %#v", row.Values[1])
	}
}

func TestRowRefusesWhatIsNoObject(t *testing.T) {
	for _, text := range []string{`[]`, `1`, `"a"`, `{"a":}`, `{"a":[1,}`, `{`} {
		var row Row
		if err := json.Unmarshal([]byte(text), &row); err == nil {
			t.Errorf("%s: accepted as %v", text, row)
		}
	}
}
