package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// Problem is a refusal: application/problem+json (RFC 9457).
type Problem struct {
	Status    int     `json:"status"`
	Code      string  `json:"code"`
	Title     string  `json:"title"`
	Detail    string  `json:"detail"`
	RequestID string  `json:"request_id"`
	Faults    []Fault `json:"errors"`
}

// Fault is one place in the body that is wrong.
type Fault struct {
	// Pointer is a JSON pointer (RFC 6901).
	Pointer string `json:"pointer"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (p *Problem) Error() string {
	text := strings.TrimSpace(p.Title + " " + p.Detail)
	return fmt.Sprintf("%s (status %d, %s, request %s)", text, p.Status, orNone(p.Code), orNone(p.RequestID))
}

// Parts returns the parts of the pointer, unescaped.
func (f Fault) Parts() []string {
	if f.Pointer == "" || f.Pointer[0] != '/' {
		return nil
	}
	parts := strings.Split(f.Pointer[1:], "/")
	for i, part := range parts {
		parts[i] = strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
	}
	return parts
}

// problemOf returns nil for a response that did what was asked. A 202 did not: the change waits for a person.
func problemOf(status int, header http.Header, answer []byte) error {
	if status == http.StatusAccepted {
		return waiting(answer)
	}
	if status >= 200 && status < 300 {
		return nil
	}
	problem := &Problem{Status: status, RequestID: header.Get("X-Service-Request-Id")}
	if json.Unmarshal(answer, problem) != nil || problem.Title == "" {
		problem.Title = fmt.Sprintf("The answer has the status %d, and is not one of Junction's.", status)
		problem.Detail = "Check base_url, and what stands between."
	}
	problem.Status = status
	return problem
}

func waiting(answer []byte) error {
	var proposal struct {
		ID string `json:"id"`
	}
	_ = json.Unmarshal(answer, &proposal)
	return &Problem{
		Status: http.StatusAccepted,
		Code:   "approval_required",
		Title:  "The change waits for an approval.",
		Detail: fmt.Sprintf("Nothing has changed yet. The proposal is %s. Once it is approved, apply again.", orNone(proposal.ID)),
	}
}

func orNone(text string) string {
	if text == "" {
		return "unknown"
	}
	return text
}
