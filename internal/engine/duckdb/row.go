package duckdb

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// ErrNoRow is returned by QueryRow for an empty result.
var ErrNoRow = errors.New("duckdb: the result is empty")

// QueryRow runs a statement that returns one row of simple values and stores them
// in dest: *string, *int64, *float64, *bool, or *any, which is nil for NULL and
// otherwise an int64, uint64, *big.Int, float64, bool, string, []byte or
// time.Time.
func (c *Conn) QueryRow(ctx context.Context, sql string, args []any, dest ...any) error {
	s, err := c.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	defer s.Release()
	return ReadRow(s, dest...)
}

// ReadRow stores the values of a result's one row in dest, as QueryRow does.
func ReadRow(s array.RecordReader, dest ...any) error {
	if !s.Next() {
		if s.Err() != nil {
			return s.Err()
		}
		return ErrNoRow
	}
	if err := assignRow(s.RecordBatch(), dest); err != nil {
		return err
	}
	if s.Next() {
		return errors.New("duckdb: one row is expected, not more")
	}
	return s.Err()
}

func assignRow(b arrow.RecordBatch, dest []any) error {
	if b.NumRows() != 1 || int(b.NumCols()) != len(dest) {
		return fmt.Errorf("duckdb: one row of %d columns is expected, not %d of %d", len(dest), b.NumRows(), b.NumCols())
	}
	for i, d := range dest {
		v, err := scalar(b.Schema().Field(i), b.Column(i), 0)
		if err == nil {
			err = assign(d, v)
		}
		if err != nil {
			return fmt.Errorf("duckdb: column %s: %w", Quote(b.ColumnName(i)), err)
		}
	}
	return nil
}
