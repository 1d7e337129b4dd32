// Package embedded is the engine in this process, as sources share it that read
// files: its sessions, what runs in a process of its own instead, and how many
// files may be open for it. It knows no format, and writes no statement of its
// own.
package embedded
