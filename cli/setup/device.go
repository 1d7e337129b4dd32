package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
)

// approval is what da login prints first if a browser is to approve it.
type approval struct {
	VerificationURI string    `json:"verification_uri"`
	UserCode        string    `json:"user_code"`
	ExpiresAt       time.Time `json:"expires_at"`
}

// approver signs in this machine once a person has approved it: a client.
type approver interface {
	BeginDevice(ctx context.Context, name string) (*api.DeviceCodes, error)
	PollDevice(ctx context.Context, code string) (token string, err error)
}

// approve waits until a person has approved this machine in a browser, and returns its
// token.
func (o loginOptions) approve(ctx context.Context, a *app.App, c approver, format output.Format) (token string, err error) {
	host, _ := os.Hostname() // a machine may have no name
	begun, err := c.BeginDevice(ctx, cmp.Or(host, "a machine without a name"))
	var known *api.Error
	if errors.As(err, &known) && known.Kind == api.KindNoSuchRoute {
		known.Message, known.Hint = "this server cannot sign in a machine by a browser", "Give its token on stdin with --with-token, or in DA_TOKEN."
	}
	if err != nil {
		return "", err
	}
	ends := a.Now().Add(time.Duration(begun.ExpiresIn) * time.Second).UTC()
	if format == output.Table {
		_, err = fmt.Fprintf(a.IO.Out, "Sign in at %s and type the code %s there.\nWaiting until %s; Ctrl-C ends it.\n",
			begun.VerificationURI, begun.UserCode, ends.Local().Format("15:04"))
	} else {
		err = a.ShowRecord(format, approval{begun.VerificationURI, begun.UserCode, ends.Truncate(time.Second)})
	}
	if err != nil {
		return "", err
	}
	if !o.noOpen {
		a.OpenBrowser(ctx, begun.VerificationURI)
	}
	interval := time.Duration(begun.Interval) * time.Second
	for {
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(interval):
		}
		token, err := c.PollDevice(ctx, begun.DeviceCode)
		var known *api.Error
		switch {
		case err == nil:
			return token, nil
		case !errors.As(err, &known):
			return "", err
		case known.Kind == api.KindAuthorizationPending:
		case known.Kind == api.KindSlowDown:
			interval += time.Duration(begun.Interval) * time.Second
		case api.CodeUnreachable.Is(err) || api.CodeUnavailable.Is(err):
			if a.Now().After(ends) {
				return "", err
			}
			a.Detail(err.Error()) // the server may be restarting
		default:
			return "", err
		}
	}
}
