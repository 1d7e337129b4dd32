package strictjson_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/guard/strictjson"
)

type change struct {
	Op    string `json:"op"`
	Page  int    `json:"page" of:"add drop"`
	Text  string `json:"text" of:"write"`
	Other string `json:"other"`
}

var known = []string{"add", "drop", "write"}

// TestFieldsOfOperations: a wrong one names those of its operation, not those of all.
func TestFieldsOfOperations(t *testing.T) {
	for text, want := range map[string]string{
		`{"op":"add","text":"a"}`:              `add has no field "text" / Its fields are op, page, other.`,
		`{"op":"add","pag":1}`:                 `add has no field "pag" / Did you mean 'page'? Its fields`,
		`{"op":"write","nothing":1}`:           `write has no field "nothing" / Its fields are op, text, other.`,
		`{"op":"write","text":1}`:              `an operation's field text cannot be a JSON number / Give it`,
		`{"op":"ad","zzzzzzz":1}`:              `there is no field "zzzzzzz"`,
		`{"op":"ad","page":1}`:                 "",
		`{"op":"drop","PAGE":1,"other":"its"}`: "",
	} {
		err := strictjson.DecodeOperation([]byte(text), &change{}, known)
		var e *api.Error
		if errors.As(err, &e) != (want != "") || e != nil && !strings.Contains(e.Message+" / "+e.Hint, want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if got := strictjson.Operations[change](known); !slices.Equal(got, []string{"add, drop: page, other", "write: text, other"}) {
		t.Errorf("%q", got)
	}
}
