package intake

import (
	"context"
	"errors"
)

func (f *File) profileSheet(ctx context.Context, o Options) (*Profile, error) {
	return nil, errors.New("not yet")
}

func (f *File) sheetRows(p *Profile) (Rows, func() error, error) {
	return nil, nil, errors.New("not yet")
}
