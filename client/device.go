package client

import (
	"context"
	"net/http"
	"strings"

	"github.com/agnes-data/da/api"
)

// BeginDevice begins to sign in this machine under a name. The verification URI that it
// returns is whole, and lies on the server.
func (c *Client) BeginDevice(ctx context.Context, name string) (*api.DeviceCodes, error) {
	if c.inClear != nil {
		return nil, c.inClear // the token would come that way
	}
	var made api.DeviceCodes
	err := c.get(ctx, request{method: http.MethodPost, path: []string{"api", "device"}, body: api.NewDevice{Name: name}}, &made)
	if err != nil {
		return nil, err
	}
	page := clean(made.VerificationURI, maxRequestID)
	if made.DeviceCode == "" || made.UserCode == "" || !strings.HasPrefix(page, "/") {
		return nil, c.notAgnes("it begins no sign-in")
	}
	made.UserCode, made.VerificationURI = clean(made.UserCode, maxRequestID), c.URL()+page
	made.Interval, made.ExpiresIn = min(max(made.Interval, 1), 60), min(max(made.ExpiresIn, 1), 3600)
	return &made, nil
}

// PollDevice asks for the token of this machine, which the server gives once after a
// person has approved.
func (c *Client) PollDevice(ctx context.Context, code string) (token string, err error) {
	var made api.CreatedToken
	err = c.get(ctx, request{method: http.MethodPost, path: []string{"api", "device", "token"}, body: api.DevicePoll{DeviceCode: code}}, &made)
	if err == nil && made.Secret == "" {
		err = c.notAgnes("it gives no token")
	}
	return made.Secret, err
}
