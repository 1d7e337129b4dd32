package core

import (
	"errors"
	"testing"

	"github.com/agnes-data/da/api"
)

func TestAnAdminStopsARequest(t *testing.T) {
	c, _ := testCore(t, "{ max_limit: 90000000 }")
	admin := c.As(LocalAdmin)
	stream, err := admin.Query(t.Context(), api.QueryRequest{SQL: "SELECT a.n FROM numbers a, numbers b"})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	if !stream.Batches.Next() {
		t.Fatal(stream.Batches.Err())
	}
	list, err := admin.Running(t.Context())
	if err != nil || len(list) != 1 || list[0].RequestID != stream.RequestID || list[0].User != "local" || list[0].EventType != api.EventQuery || len(list[0].Tables) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	if err := admin.StopRequest(t.Context(), list[0].RequestID); err != nil {
		t.Fatal(err)
	}
	for stream.Batches.Next() {
	}
	var e *api.Error
	if err := stream.Batches.Err(); !errors.As(err, &e) || e.Kind != "stopped_by_admin" {
		t.Errorf("the stopped request: %v", err)
	}
	stream.Close()
	// It was allowed: the audit does not call it refused.
	events, err := admin.Audit(t.Context(), api.AuditQuery{Status: api.StatusStopped})
	if err != nil || len(events) != 1 || *events[0].Data.ErrorKind != "stopped_by_admin" {
		t.Errorf("in the audit: %+v, %v", events, err)
	}
	if list, err := admin.Running(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("afterwards: %+v, %v", list, err)
	}
	if err := admin.StopRequest(t.Context(), stream.RequestID); err != nil {
		t.Errorf("one that has ended: %v", err)
	}
	una := userOf(t, c, "una")
	if _, err := una.Running(t.Context()); !api.CodeForbidden.Is(err) {
		t.Errorf("a user looks: %v", err)
	}
	if err := una.StopRequest(t.Context(), "x"); !api.CodeForbidden.Is(err) {
		t.Errorf("a user stops: %v", err)
	}
}
