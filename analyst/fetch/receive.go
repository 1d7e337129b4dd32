package fetch

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/zeebo/xxh3"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/rows/parquetfile"
)

// receiveBuffer is the size of one write to the file, in bytes.
const receiveBuffer = 256 << 10

// receive writes a file from a server to f and verifies it before an engine opens
// it: the file must arrive unchanged and have the announced number of rows. This
// file is the one to be installed; it is not written again. If the incoming data
// resumes at a later byte, f already has the bytes before.
func (j *job) receive(ctx context.Context, file *api.File, f *os.File) error {
	in := &incoming{file: file, to: f, hash: xxh3.New128(), room: j.a.Room(), report: j.OnProgress}
	if err := in.had(f, file.From); err != nil {
		return err
	}
	if err := in.copy(ctx); err != nil {
		return err
	}
	end := file.End()
	if err := in.checkWhole(end); err != nil {
		return notWhole(file, err)
	}
	if limit := j.Scan.Limit; limit != nil && end.Rows > *limit {
		return notWhole(file, errors.New("it has more rows than were asked for"))
	}
	if err := parquetfile.Check(f, in.size, parquetfile.Expected{Schema: file.Batches.Schema(), Rows: end.Rows}); err != nil {
		return notWhole(file, err)
	}
	return atomicfile.Explain("write the result", f.Close())
}

// notWhole is the error for a file that fails its checks.
func notWhole(file *api.File, why error) error {
	return &api.Error{Code: api.CodeStreamCut, Kind: api.KindBadFile, RequestID: file.RequestID, Err: why,
		Message: "the file that the server sent cannot be used: " + why.Error(), Hint: "Nothing was installed; try again."}
}

// incoming is a file that is being received.
type incoming struct {
	file   *api.File
	to     io.Writer
	hash   *xxh3.Hasher128
	size   int64
	room   *analyst.Room
	report func(rows, bytes int64) // may be nil
}

// had hashes what an earlier fetch has received. It fails if there is less of it
// than recorded.
func (in *incoming) had(f *os.File, size int64) error {
	n, err := io.Copy(in.hash, io.LimitReader(f, size))
	if err == nil && n < size {
		err = io.ErrUnexpectedEOF
	}
	in.size = n
	return atomicfile.Explain("read what had arrived", err)
}

// copy writes all of the file.
func (in *incoming) copy(ctx context.Context) error {
	buf := make([]byte, receiveBuffer)
	for {
		n, err := in.file.Data.Read(buf)
		if ctx.Err() != nil && err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if n > 0 {
			if err := in.write(buf[:n]); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

func (in *incoming) write(p []byte) error {
	if err := in.room.Take(int64(len(p))); err != nil {
		return err
	}
	if _, err := in.to.Write(p); err != nil {
		return atomicfile.Explain("write the result", err)
	}
	_, _ = in.hash.Write(p) // never fails
	in.size += int64(len(p))
	if in.report != nil {
		in.report(in.file.Progress())
	}
	return nil
}

// checkWhole compares what has arrived with what was sent.
func (in *incoming) checkWhole(end api.End) error {
	sum := in.hash.Sum128().Bytes()
	switch {
	case in.size != end.FileBytes:
		return fmt.Errorf("%d bytes of it were sent, %d have arrived", end.FileBytes, in.size)
	case hex.EncodeToString(sum[:]) != end.BodyXXH3:
		return errors.New("its bytes differ from what was sent")
	}
	return nil
}
