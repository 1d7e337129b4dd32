package api

import (
	"context"
	"time"
)

// NewDevice begins the sign-in of a machine, which a person approves in a browser:
// the device authorization of RFC 8628, with JSON in place of forms.
type NewDevice struct {
	Name string `json:"name"` // what the machine calls itself
}

// DeviceCodes are the two codes of a sign-in that was begun.
type DeviceCodes struct {
	DeviceCode      string `json:"device_code"`      // the secret of the machine
	UserCode        string `json:"user_code"`        // what the person types on the page
	VerificationURI string `json:"verification_uri"` // the page for it, from the root of the server
	ExpiresIn       int64  `json:"expires_in"`       // in seconds
	Interval        int64  `json:"interval"`         // the fewest seconds from one poll to the next
}

// DevicePoll asks whether a person has approved.
type DevicePoll struct {
	DeviceCode string `json:"device_code"`
}

// DeviceCode asks which machine shows a code.
type DeviceCode struct {
	UserCode string `json:"user_code"`
}

// Device is a machine that waits for the caller's approval.
type Device struct {
	Name      string    `json:"name"`      // as it calls itself, which can be a lie
	Address   string    `json:"address"`   // that it asks from
	Elsewhere bool      `json:"elsewhere"` // the caller's own address is another one
	AskedAt   time.Time `json:"asked_at"`
	// TokenEndsAt is when its token would end.
	TokenEndsAt time.Time `json:"token_ends_at"`
}

// DeviceAnswer is what a person says to a machine.
type DeviceAnswer struct {
	UserCode string `json:"user_code"`
	Approve  bool   `json:"approve"`
}

// DeviceKeeper approves machines, and manages the caller's own tokens.
type DeviceKeeper interface {
	// Device returns the machine that shows a code. from is the caller's address.
	Device(ctx context.Context, userCode, from string) (*Device, error)
	// AnswerDevice approves or refuses it, once.
	AnswerDevice(ctx context.Context, a DeviceAnswer) error
	// OwnTokens lists the caller's tokens that are valid.
	OwnTokens(ctx context.Context) ([]Token, error)
	// EndOwnToken revokes one of them, and those that were made with it.
	EndOwnToken(ctx context.Context, id string) error
}
