package api

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestSettled(t *testing.T) {
	running, stop := context.WithCancel(t.Context())
	late, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	said := errors.New("the engine's")
	known := &Error{Code: CodeSource, Message: "known"}
	for _, c := range []struct {
		ctx  context.Context
		err  error
		ok   bool
		want Code
	}{
		{running, nil, true, ""}, {late, nil, true, ""}, {running, known, true, CodeSource}, {late, known, true, CodeSource},
		{running, said, false, ""}, {late, said, true, CodeTimeout},
	} {
		got, ok := Settled(c.ctx, c.err, "the database")
		if ok != c.ok || c.want == "" && got != nil || c.want != "" && !c.want.Is(got) {
			t.Errorf("%v: %v, %t", c.err, got, ok)
		}
	}
	stop()
	if got, ok := Settled(running, said, "the database"); !ok || !CodeInterrupted.Is(got) || !errors.Is(got, said) || !errors.Is(got, context.Canceled) {
		t.Errorf("stopped: %v, %t", got, ok)
	}
	if got, _ := Settled(late, said, "the database"); got.Error() != "the database took too long" || !errors.Is(got, said) {
		t.Errorf("late: %v", got)
	}
}
