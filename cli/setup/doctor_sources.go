package setup

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/internal/words/reason"
)

// checkSources tries each source: in this process for an instance, otherwise at
// the server, which allows it to admins only.
func checkSources(ctx context.Context, a *app.App, e *examination, admin api.SourceAdmin) {
	states, err := admin.Sources(ctx)
	var known *api.Error
	switch {
	case api.CodeForbidden.Is(err):
		e.add("sources", api.CheckSkipped, "only admins may have the server try them", "")
		return
	case errors.As(err, &known) && known.Kind == api.KindNoSuchRoute:
		e.add("sources", api.CheckSkipped, "the server is of a release that does not try them", "")
		return
	case err != nil:
		e.fail("sources", err, "Look into the server's log.")
		return
	}
	for _, s := range states {
		checkSource(e, s)
	}
}

func checkSource(e *examination, s api.SourceState) {
	name := "source " + s.Name
	switch {
	case s.Status == api.SourceReachable:
		e.add(name, api.CheckOK, fmt.Sprintf("%s, can be reached", s.Type), "")
	case s.Failure == nil:
		e.add(name, api.CheckSkipped, fmt.Sprintf("%s, cannot be tried", s.Type), "")
	default:
		err := s.Failure.Error()
		c := api.HealthCheck{Name: name, Status: api.CheckFailed, Says: fmt.Sprintf("%s: %s", s.Type, err.Message), Fix: exit.WithNext(err).Hint}
		var met *api.Error
		if errors.As(s.Err, &met) { // in this process, so the user is the operator
			c.Fix = strings.TrimSpace(strings.Replace(exit.WithNext(err).Hint, api.InServerLog, "", 1))
			if met.Err != nil {
				c.Cause = reason.Line(met.Err.Error(), app.MaxCause)
				c.Says += ": " + c.Cause
			}
		}
		if c.Fix == "" {
			c.Fix = fmt.Sprintf("See that it runs and can be reached, or correct '%s' below 'sources' in the instance file.", s.Name)
		}
		e.failed(c, err)
	}
}
