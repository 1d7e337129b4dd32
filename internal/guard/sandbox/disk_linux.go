//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Used measures what a program has on disk: all below the Dir of its Spec, and the
// files there that it has deleted and still has open or mapped. A mapped one that is
// not open counts as fileSize, the most that it can have. pid is the program's; 0: it has ended. Used
// stops counting when there is more than most. An error means that the program keeps
// something from being measured.
func Used(dir string, pid int, fileSize int64, most Disk) (Disk, error) {
	var d Disk
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && path != dir {
			var info fs.FileInfo
			if info, err = e.Info(); err == nil {
				d.add(onDisk(info))
			}
		}
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) { // deleted meanwhile
			return nil
		}
		if err == nil && d.Over(most) {
			return fs.SkipAll
		}
		return err
	})
	if err != nil || d.Over(most) {
		return d, err
	}
	return d, d.addDeleted(dir, filepath.Join("/proc", strconv.Itoa(pid)), fileSize)
}

// onDisk returns the larger of a file's size and of what is allocated for it: one can
// be without the other.
func onDisk(info fs.FileInfo) int64 {
	allocated := int64(0)
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		allocated = s.Blocks * 512
	}
	return max(info.Size(), allocated)
}

// addDeleted counts the files without a name of a process.
func (d *Disk) addDeleted(dir, proc string, fileSize int64) error {
	seen := map[uint64]bool{} // by inode
	open, err := os.ReadDir(filepath.Join(proc, "fd"))
	if ended(err) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, fd := range open {
		info, err := os.Stat(filepath.Join(proc, "fd", fd.Name()))
		if err != nil || !info.Mode().IsRegular() { // closed meanwhile, or a pipe
			continue
		}
		if s, ok := info.Sys().(*syscall.Stat_t); ok && s.Nlink == 0 && !seen[s.Ino] {
			seen[s.Ino] = true
			d.add(onDisk(info))
		}
	}
	maps, err := os.Open(filepath.Join(proc, "maps"))
	if ended(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer maps.Close()
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real // as the kernel names it
	}
	bounded := &io.LimitedReader{R: maps, N: maxMaps}
	for lines := bufio.NewReader(bounded); ; {
		// address perms offset device inode path, which can be longer than a path may be
		line, err := lines.ReadString('\n')
		if bounded.N == 0 {
			return fmt.Errorf("the list of mapped files is longer than %d bytes", maxMaps)
		}
		if ended(err) || err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		line, gone := strings.CutSuffix(line, " (deleted)\n")
		fields := strings.Fields(line)
		if !gone || len(fields) < 6 || !strings.Contains(line, dir+"/") {
			continue
		}
		if inode, err := strconv.ParseUint(fields[4], 10, 64); err == nil && !seen[inode] {
			seen[inode] = true
			d.add(fileSize)
		}
	}
}

// maxMaps bounds the list of what is mapped: a longer one takes too long to read.
const maxMaps = 16 << 20

// ended reports whether an error of /proc means that the process has ended.
func ended(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) }

// Moment is a time by the clock of a file system, which lags behind the system's.
type Moment struct{ seconds, nanos int64 }

// Now returns the present of the file system of a folder, which it touches.
func Now(dir string) (Moment, error) {
	info, err := os.Stat(dir)
	if err == nil {
		err = os.Chmod(dir, info.Mode().Perm()) // changes nothing but the time
	}
	if err == nil {
		info, err = os.Stat(dir)
	}
	if err != nil {
		return Moment{}, err
	}
	return changed(info), nil
}

// changed is when a file was last changed in any way. A program cannot set it.
func changed(info fs.FileInfo) Moment {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return Moment{s.Ctim.Sec, s.Ctim.Nsec}
	}
	return Moment{}
}

func (m Moment) after(o Moment) bool {
	return m.seconds > o.seconds || m.seconds == o.seconds && m.nanos > o.nanos
}

// RemoveSince removes the files below dir that were written, renamed or changed since
// a moment, and the folders that this empties. The program that wrote them has ended.
// It counts what was removed and what is left.
func RemoveSince(dir string, since Moment) (removed, left Disk, err error) {
	var folders []string
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		switch {
		case err != nil:
			return err
		case e.IsDir():
			if path != dir && changed(info).after(since) {
				folders = append(folders, path)
			}
			return os.Chmod(path, 0o700) // else it may not be read
		case !changed(info).after(since):
			left.add(onDisk(info))
			return nil
		}
		removed.add(onDisk(info))
		return os.Remove(path)
	})
	for i := len(folders) - 1; i >= 0; i-- {
		_ = os.Remove(folders[i]) // it stays if it has older files
	}
	return removed, left, err
}
