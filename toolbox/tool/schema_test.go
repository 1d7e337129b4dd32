package tool

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

// TestWrongFieldsAreAnsweredWithTheRightOnes: a model that misspells a field inside
// an argument is told which there are.
func TestWrongFieldsAreAnsweredWithTheRightOnes(t *testing.T) {
	type look struct {
		NumberFormat string `json:"number_format,omitempty"`
		Bold         bool   `json:"bold,omitempty"`
	}
	type cells struct {
		Cells []look `json:"cells,omitempty"`
	}
	type arguments struct {
		Within []cells `json:"within,omitempty"`
		Format look    `json:"format,omitempty"`
		All    []look  `json:"all,omitempty"`
	}
	s := inputSchema(reflect.TypeFor[arguments]())
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for call, want := range map[string]string{
		`{"format": {"numberFormat": "0.0"}}`:               "Did you mean number_format? Its fields are bold, number_format.",
		`{"all": [{"bold": true}, {"colour": "red"}]}`:      "Its fields are bold, number_format.",
		`{"within": [{"cells": [{"bolt": true}]}]}`:         "Did you mean bold? Its fields are bold, number_format.",
		`{"format": {"bold": "yes"}}`:                       "format is of type object.",
		`{"all": [{"bold": true}, {"number_format": 1.5}]}`: "all is of type array, its items of type object.",
	} {
		var into arguments
		var e *api.Error
		if err := readArguments(json.RawMessage(call), resolved, s, &into); !errors.As(err, &e) || !strings.HasSuffix(e.Hint, want) {
			t.Errorf("%s: %+v", call, err)
		}
	}
}
