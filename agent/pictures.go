package agent

import (
	"context"
	"slices"
	"strings"

	"github.com/agnes-data/da/agent/conversation"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/toolbox/tool"
)

const (
	// mostPictures of a turn are sent with a request, the latest of them.
	mostPictures = 4
	// pictureTokens is more than any provider counts for a picture of render_file.
	pictureTokens = 5_000
)

// Beside is what comes with a tool's answer and is not for the model to read.
type Beside struct {
	picture []byte
	Inputs  []conversation.Input // each once
}

type besideKey struct{}

// With returns a context in which the answers of Boxed leave what comes with them.
func (b *Beside) With(ctx context.Context) context.Context {
	return context.WithValue(ctx, besideKey{}, b)
}

// leave keeps what comes with an answer.
func leave(ctx context.Context, answer tool.Answer) {
	to, ok := ctx.Value(besideKey{}).(*Beside)
	if !ok {
		return
	}
	to.picture = answer.Picture
	for _, read := range answer.Inputs {
		in := conversation.Input{TableID: read.Table, Where: read.Where, Server: read.Server, Rows: &read.Rows, ContentHash: read.ContentHash,
			Version: read.Version, Rights: read.Rights, AsOf: read.AsOf, FetchedAt: read.FetchedAt, RowRule: read.RowRule, Truncated: read.Truncated}
		if read.Snapshot {
			in.Snapshot = read.Name
		}
		if !slices.ContainsFunc(to.Inputs, in.Same) {
			to.Inputs = append(to.Inputs, in)
		}
	}
}

// sighted returns the messages with the pictures that the model is sent: those of this
// turn alone, since each costs as much as a long text, in each request.
func (a *Agent) sighted() []provider.Message {
	messages := a.state.messages
	if a.blind {
		return messages
	}
	sent, copied := 0, false
	for i := len(messages) - 1; i >= max(a.state.asked, 0) && sent < mostPictures; i-- {
		for j := len(messages[i].Blocks) - 1; j >= 0 && sent < mostPictures; j-- {
			r := messages[i].Blocks[j].Result
			if r == nil || r.Picture == nil {
				continue
			}
			png := a.Log.Picture(r.Picture.ID)
			if png == nil {
				continue
			}
			if !copied {
				messages, copied = slices.Clone(messages), true
			}
			blocks := slices.Clone(messages[i].Blocks)
			seen := *r
			seen.Picture = &provider.Picture{ID: r.Picture.ID, PNG: png}
			blocks[j].Result = &seen
			messages[i].Blocks = blocks
			sent++
		}
	}
	return messages
}

// picturesOf counts the pictures of a request.
func picturesOf(req provider.Request) (n int64) {
	for _, m := range req.Messages {
		for _, b := range m.Blocks {
			if b.Result != nil && b.Result.Picture != nil && b.Result.Picture.PNG != nil {
				n++
			}
		}
	}
	return n
}

// refusesPictures reports whether the failure of a request can be due to its pictures:
// some models have no eyes, and servers of them say so with a status of their own.
func refusesPictures(req provider.Request, err error) bool {
	return picturesOf(req) > 0 && (api.CodeBadRequest.Is(err) || api.CodeUnavailable.Is(err) && strings.Contains(err.Error(), "image"))
}
