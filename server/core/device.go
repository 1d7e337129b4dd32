package core

import (
	"context"
	"slices"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/printable"
)

// maxDeviceName limits what a machine calls itself, in runes.
const maxDeviceName = 60

// BeginDevice makes the codes with which a machine at an address can be signed in.
func (c *Core) BeginDevice(ctx context.Context, name, address string) (*api.DeviceCodes, error) {
	if name = api.Clip(printable.Line(name), maxDeviceName); name == "" {
		return nil, &api.Error{Code: api.CodeBadRequest, Kind: api.KindBadName, Message: "the machine does not say its name"}
	}
	made, err := c.state.BeginDevice(ctx, name, address)
	return made, stateError(err)
}

// PollDevice returns the token of a machine that a person has approved, once.
func (c *Core) PollDevice(ctx context.Context, from Origin, code string) (*api.CreatedToken, error) {
	made, err := c.state.PollDevice(ctx, code)
	if err != nil {
		return nil, stateError(err)
	}
	r := c.As(Principal{Origin: from, User: made.User}).begin(api.EventSignIn, "")
	r.event.Data.Action, r.event.Data.Subject = "device", made.ID
	if err := r.end(ctx, nil); err != nil {
		return nil, err
	}
	return made, nil
}

// Devices returns the service with which p approves machines.
func (c *Core) Devices(p Principal) api.DeviceKeeper { return c.As(p) }

// Device implements api.DeviceKeeper.
func (s *Session) Device(ctx context.Context, userCode, from string) (*api.Device, error) {
	d, err := s.core.state.Device(ctx, userCode, s.who.SignIn)
	if err != nil {
		return nil, stateError(err)
	}
	d.Elsewhere = d.Address != from
	return d, nil
}

// AnswerDevice implements api.DeviceKeeper.
func (s *Session) AnswerDevice(ctx context.Context, a api.DeviceAnswer) error {
	action := "device_refuse"
	if a.Approve {
		action = "device_approve"
	}
	return s.ownSignIn(ctx, action, func() (string, error) { return s.core.state.AnswerDevice(ctx, a, s.who.UserID, s.who.SignIn) })
}

// ownSignIn makes a change of the caller's to what can sign in for them, and audits it.
func (s *Session) ownSignIn(ctx context.Context, action string, change func() (subject string, err error)) error {
	r := s.begin(api.EventSignIn, "")
	r.event.Data.Action = action
	subject, err := change()
	r.event.Data.Subject = subject
	return r.end(ctx, stateError(err))
}

// OwnTokens implements api.DeviceKeeper.
func (s *Session) OwnTokens(ctx context.Context) ([]api.Token, error) {
	all, err := s.core.state.Tokens(ctx, s.who.User)
	now := s.core.state.Now()
	return slices.DeleteFunc(all, func(t api.Token) bool {
		return t.RevokedAt != nil || t.ExpiresAt != nil && !t.ExpiresAt.After(now)
	}), stateError(err)
}

// EndOwnToken implements api.DeviceKeeper.
func (s *Session) EndOwnToken(ctx context.Context, id string) error {
	return s.ownSignIn(ctx, "token_revoke", func() (string, error) {
		own, err := s.OwnTokens(ctx)
		if err != nil || !slices.ContainsFunc(own, func(t api.Token) bool { return t.ID == id }) {
			return "", err // what is not there has ended
		}
		return id, s.core.state.RevokeToken(ctx, id)
	})
}
