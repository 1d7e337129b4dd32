package strictjson_test

import (
	"strings"
	"testing"

	"github.com/agnes-data/da/internal/guard/strictjson"
)

type base struct {
	AfterRow int   `json:"after_row,omitempty"`
	Hidden   int   `json:"-"`
	Value    any   `json:"value"`
	Inner    inner `json:"inner"`
}

type inner struct {
	Cell string `json:"cell"`
}

func TestUnknownFieldsAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		`{"after":1}`:                `there is no field "after"; did you mean "after_row"?`,
		`{"zzzzzzzz":1}`:             `there is no field "zzzzzzzz"; the fields are after_row, value, inner, find`,
		`{"Hidden":1}`:               `there is no field "Hidden"`,
		`{"inner":{"nothing":1}}`:    `unknown field "nothing"`,
		`{"after_row":"x"}`:          "cannot unmarshal string",
		`[1]`:                        "cannot unmarshal array",
		`{"AFTER_ROW":1,"find":"a"}`: "",
	} {
		var b base
		err := strictjson.Decode([]byte(text), &struct {
			*base
			Find string `json:"find"`
		}{base: &b})
		if err == nil && want != "" || err != nil && (want == "" || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", text, err)
		}
	}
	var b base
	if err := strictjson.Decode([]byte(`{"value":12345678901234567890}`), &b); err != nil || b.Value.(interface{ String() string }).String() != "12345678901234567890" {
		t.Errorf("%v, %v", b.Value, err)
	}
}
