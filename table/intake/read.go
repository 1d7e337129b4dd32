package intake

import (
	"context"
	"fmt"

	"github.com/agnes-data/da/api"
)

// Profile reads the whole file once. Files that the engine reads itself have
// no profile here: their Kind tells.
func (f *File) Profile(ctx context.Context, o Options) (*Profile, error) {
	var p *Profile
	var err error
	switch f.Kind {
	case Text:
		p, err = f.profileText(ctx, o)
	case Sheet:
		p, err = f.profileSheet(ctx, o)
	default:
		return nil, &api.Error{Code: api.CodeReadFailed, Message: fmt.Sprintf("%s files have no profile", f.Kind)}
	}
	if err != nil {
		return nil, readFailed(f.Path, err)
	}
	return p, nil
}
