package sandbox

// Disk counts files and folders, and their bytes on disk.
type Disk struct {
	Bytes   int64
	Entries int
}

// entryBytes is what a file or folder takes of a disk beside its content.
const entryBytes = 4096

// add counts one file or folder, whose content has so many bytes.
func (d *Disk) add(bytes int64) {
	d.Bytes += bytes + entryBytes
	d.Entries++
}

// Over reports whether it is more than the other in bytes or in entries.
func (d Disk) Over(most Disk) bool { return d.Bytes > most.Bytes || d.Entries > most.Entries }

// Load is what a program takes of the machine beside its disk.
type Load struct {
	Memory  int64 // in bytes
	Threads int
}

// Over reports whether it is more than the other in memory or in threads.
func (l Load) Over(most Load) bool { return l.Memory > most.Memory || l.Threads > most.Threads }
