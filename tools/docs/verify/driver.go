package main

import (
	"io"
	"os"
	"strconv"
)

func main() {
	body, _ := io.ReadAll(os.Stdin)
	now, _ := strconv.ParseInt(os.Args[5], 10, 64)
	if !verify(os.Args[1], os.Args[2], os.Args[3], os.Args[4], body, now) {
		os.Exit(9)
	}
}
