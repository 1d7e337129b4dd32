package dsn

import (
	"errors"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

func TestNoSetting(t *testing.T) {
	known := []string{"sslmode", "sslcert"}
	for parameters, want := range map[string]string{"work_mem": "", "SSLmod": "SSLmod", "a sslx": "sslx", "assl": ""} {
		all := map[string]string{}
		for name := range strings.FieldsSeq(parameters) {
			all[name] = "the-value"
		}
		err := NoSetting(all, []string{"ssl"}, known)
		var e *api.Error
		if errors.As(err, &e); (e == nil) != (want == "") || e != nil && (e.Details["parameter"] != want || strings.Contains(e.Message+e.Hint, "the-value")) {
			t.Errorf("%s: %v", parameters, err)
		}
	}
	if e := BadParameter("sslmod", known, nil); !strings.HasSuffix(e.Hint, "Was sslmode meant?") || e.Retryable() {
		t.Errorf("%s, to be tried again: %t", e.Hint, e.Retryable())
	}
	if e := BadParameter("sslmode", known, nil); strings.Contains(e.Hint, "meant") {
		t.Error(e.Hint)
	}
}

func TestQuoted(t *testing.T) {
	for sentence, want := range map[string]string{
		`no such parameter "b"`: "b", `invalid value for parameter "B": "a"`: "b", "b is none": "", `"ab"`: "",
	} {
		if got := Quoted(sentence, `"`, []string{"a", "b"}); got != want {
			t.Errorf("%s: %q", sentence, got)
		}
	}
}
