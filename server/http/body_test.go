package httpapi

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

func TestBodiesAreTakenOnlyWhole(t *testing.T) {
	var got *api.ScanRequest
	s := serveTest(t, &testService{estimate: func(_ context.Context, req api.ScanRequest) (*api.Estimate, error) {
		got = &req
		return &api.Estimate{}, nil
	}})
	for _, c := range []struct {
		body, kind, says string
	}{
		{`{"table_id":"t","wher":"x=1"}`, "unknown_field", "'wher'"},
		{`{"table_id":"t","WHERE":"x=1"}`, "unknown_field", "'WHERE'"},
		{`{"table_id":"t","":"x=1"}`, "unknown_field", "''"},
		{`{"table_id":"t","where":"x=1","where":"1=1"}`, "duplicate_field", "'where'"},
		{`{"table_id":"t"} `, "", ""},
		{`{"table_id":"t"}{}`, "syntax", "follows"},
		{`{"table_id":"t"} x`, "syntax", "follows"},
		{`{"table_id":"t",}`, "syntax", "not valid JSON"},
		{`{"table_id":"t"`, "syntax", "not valid JSON"},
		{`{"table_id":t}`, "syntax", "not valid JSON at byte"},
		{`[{"table_id":"t"}]`, "syntax", "not a JSON object"},
		{`null`, "syntax", "not a JSON object"},
		{` `, "syntax", "not a JSON object"},
		{"{\"table_id\":\"t\xff\"}", "syntax", "UTF-8"},
		{`{"table_id":7}`, "wrong_type", "'table_id' must be a string, and is a JSON number"},
		{`{"table_id":"t","limit":"10"}`, "wrong_type", "'limit' must be a whole number, and is a JSON string"},
		{`{"table_id":"t","limit":1.5}`, "wrong_type", "'limit' must be a whole number"},
		{`{"table_id":"t","limit":1e30}`, "wrong_type", "'limit' must be a whole number"},
		{`{"table_id":"t","select":"a"}`, "wrong_type", "'select' must be an array, and is a JSON string"},
		{`{"table_id":"t","select":[1]}`, "wrong_type", "'select' must be a string, and is a JSON number"},
		{`{"table_id":"t","where":"` + strings.Repeat("x", maxBody) + `"}`, "too_large", "1048576 bytes"},
	} {
		got = nil
		res, text := s.ask(t, "POST", "/api/v2/scan/estimate", c.body)
		if c.kind == "" {
			if res.StatusCode != 200 || got == nil || got.TableID != "t" {
				t.Errorf("%.60s: %d %s", c.body, res.StatusCode, text)
			}
			continue
		}
		e := errorOf(t, text)
		if res.StatusCode != 400 || e.Code != api.CodeBadRequest || e.Kind != c.kind || !strings.Contains(e.Message, c.says) || got != nil {
			t.Errorf("%.60s: %d %s", c.body, res.StatusCode, text)
		}
	}
	_, text := s.ask(t, "POST", "/api/v2/scan/estimate", `{"table":"t"}`)
	if e := errorOf(t, text); !strings.Contains(e.Hint, "table_id") {
		t.Errorf("no suggestion: %s", text)
	}
	if _, text := s.ask(t, "POST", "/api/v2/scan/estimate", `{"table_id":"t","label":"x"}`); !strings.Contains(text, "The fields are '") {
		t.Errorf("a field like no other: %s", text)
	}
}

func TestBodiesAreTakenOnlyWholeInside(t *testing.T) {
	err := parseBody([]byte(`{"scan":{"table_id":"t","wher":"x=1"}}`), &api.KeepResult{})
	var e *api.Error
	if !errors.As(err, &e) || e.Kind != api.KindUnknownField || !strings.Contains(e.Message, "'wher'") {
		t.Errorf("a condition that would be ignored: %v", err)
	}
	if err := parseBody([]byte(`{"part":{"where":[{"at":1,"is":"x"}]},"from":0,"limit":5}`), &api.ResultWindow{}); err != nil {
		t.Error(err)
	}
}

func TestBodiesAreJSONByHeader(t *testing.T) {
	s := serveTest(t, &testService{})
	for header, status := range map[string]int{
		"": 400, "text/plain": 400, "application/x-www-form-urlencoded": 400, "application/json; charset=latin1": 400, ";": 400,
		"application/json": 200, "Application/JSON": 200, "application/json; charset=UTF-8": 200,
	} {
		res, text := s.ask(t, "POST", "/api/v2/scan/estimate", sound["/api/v2/scan/estimate"], "Content-Type", header)
		if res.StatusCode != status {
			t.Errorf("%q: %d %s", header, res.StatusCode, text)
		}
	}
}

func TestABodyThatBreaksOffIsRefused(t *testing.T) {
	s := serveTest(t, &testService{})
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /api/v2/scan HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
		"Transfer-Encoding: chunked\r\n\r\n5\r\n{\"ta\r\nzz\r\n", userToken)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != 400 {
		t.Errorf("%s", res.Status)
	}
}
