package httpapi

import (
	"context"
	"net/http"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/server/core"
)

// Devices signs in machines that a person at the page approves.
type Devices interface {
	// BeginDevice makes the codes for a machine at an address.
	BeginDevice(ctx context.Context, name, address string) (*api.DeviceCodes, error)
	// PollDevice returns the token of a machine that was approved, once.
	PollDevice(ctx context.Context, from core.Origin, code string) (*api.CreatedToken, error)
	// Devices returns the service with which p approves machines.
	Devices(p core.Principal) api.DeviceKeeper
}

// deviceRoutes are those of machines, and of people who approve them.
func deviceRoutes() []route {
	return []route{
		{http.MethodPost, "/api/device", public, (*call).beginDevice},
		{http.MethodPost, "/api/device/token", public, (*call).pollDevice},
		{http.MethodPost, "/api/page/device", user, (*call).device},
		{http.MethodPost, "/api/page/device/answer", user, (*call).answerDevice},
		{http.MethodGet, "/api/page/tokens", user, (*call).ownTokens},
		{http.MethodDelete, "/api/page/tokens/{id}", user, (*call).endOwnToken},
	}
}

// deviceBody reads the body of a request about machines. The page of one user has none
// of them.
func (c *call) deviceBody(dst any) error {
	if c.router.backend.Entry() != EntryToken {
		return errNoRoute
	}
	if err := c.params(); err != nil || dst == nil {
		return err
	}
	return c.body(dst)
}

func (c *call) beginDevice() error {
	var req api.NewDevice
	if err := c.deviceBody(&req); err != nil {
		return err
	}
	address := c.router.addressOf(c.r)
	if !c.router.guard.spare("device " + address) {
		return tooMany("too many sign-ins were begun from this address", "Wait some seconds, or log in with a token.")
	}
	made, err := c.router.backend.BeginDevice(c.r.Context(), req.Name, address)
	if err != nil {
		return err
	}
	return c.w.json(http.StatusCreated, made)
}

// pollDevice answers a machine. Its code is too long to guess, so failures do not count.
func (c *call) pollDevice() error {
	var req api.DevicePoll
	if err := c.deviceBody(&req); err != nil {
		return err
	}
	from, err := origin(c.r, c.w.id)
	if err != nil {
		return err
	}
	made, err := c.router.backend.PollDevice(c.r.Context(), from, req.DeviceCode)
	if err != nil {
		return err
	}
	c.w.user = made.User
	return c.w.json(http.StatusCreated, made)
}

// pageBody is deviceBody for people at the page. It refuses programs with a token: they could
// make themselves tokens that live on.
func (c *call) pageBody(dst any) error {
	if err := c.deviceBody(dst); err != nil {
		return err
	}
	if c.current == "" {
		return &api.Error{Code: api.CodeForbidden, Kind: api.KindPageOnly, Message: "only a person at the page may do this",
			Hint: "Open the page in a browser and sign in there."}
	}
	return nil
}

func (c *call) device() error {
	var req api.DeviceCode
	if err := c.pageBody(&req); err != nil {
		return err
	}
	return c.router.guard.codes(c.router.addressOf(c.r), func() error {
		return answer(c, func(ctx context.Context) (*api.Device, error) {
			return c.router.backend.Devices(c.who).Device(ctx, req.UserCode, c.router.addressOf(c.r))
		})
	})
}

func (c *call) answerDevice() error {
	var req api.DeviceAnswer
	if err := c.pageBody(&req); err != nil {
		return err
	}
	return c.router.guard.codes(c.router.addressOf(c.r), func() error {
		return c.done(c.router.backend.Devices(c.who).AnswerDevice(c.r.Context(), req))
	})
}

func (c *call) ownTokens() error {
	if err := c.deviceBody(nil); err != nil {
		return err
	}
	return answer(c, c.router.backend.Devices(c.who).OwnTokens)
}

func (c *call) endOwnToken() error {
	if err := c.pageBody(nil); err != nil {
		return err
	}
	return c.done(c.router.backend.Devices(c.who).EndOwnToken(c.r.Context(), c.r.PathValue("id")))
}
