package xlsx

import "io"

// ahead is unpacked in a goroutine of its own, while what has been unpacked is read.
type ahead struct {
	*io.PipeReader
	done chan struct{}
}

// readAhead starts to read src, which is closed at its end, or when the reader is.
func readAhead(src io.ReadCloser) ahead {
	r, w := io.Pipe()
	a := ahead{r, make(chan struct{})}
	go func() {
		defer close(a.done)
		defer src.Close()
		// A writer without more methods, so that the buffer is used.
		_, err := io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{src}, make([]byte, 128<<10))
		_ = w.CloseWithError(err)
	}()
	return a
}

// Close ends the reading, and waits for its end.
func (a ahead) Close() error {
	_ = a.PipeReader.Close()
	<-a.done
	return nil
}
