// Package embedded is the engine in this process, as sources share it that read
// files: its sessions, what runs in a process of its own instead, and how many
// files it may have open.
package embedded
