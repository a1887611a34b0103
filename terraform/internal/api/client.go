// Package api sends requests to Junction's API.
package api

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	attempts       = 8
	requestTimeout = 60 * time.Second
	firstWait      = 500 * time.Millisecond
	longestWait    = 2 * time.Minute
	largestAnswer  = 16 << 20
)

// Client sends requests with one key.
type Client struct {
	base    *url.URL
	key     string
	agent   string
	version string
	http    *http.Client
	// sleep waits, and returns an error if the context ends first.
	sleep func(context.Context, time.Duration) error
}

// New returns a client. It refuses a URL to which a key must not be sent: plain HTTP to another machine.
func New(baseURL, key, agent, version string) (*Client, error) {
	base, err := url.Parse(strings.TrimRight(baseURL, "/"))
	if err != nil || base.Host == "" || base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, errors.New("the URL must be like https://junction.example.com")
	}
	if base.Scheme != "https" && (base.Scheme != "http" || !isLoopback(base.Hostname())) {
		return nil, errors.New("the URL must begin with https:// (http:// is only for this machine), because it receives the key")
	}
	if key == "" || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("the key is empty, or has characters that no key has")
	}
	client := &http.Client{
		Timeout: requestTimeout,
		// Another address must not get the key.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return &Client{base: base, key: key, agent: agent, version: version, http: client, sleep: sleep}, nil
}

// Get reads. Write changes something: however often it is sent, it is done once, because all its attempts have one
// idempotency key. Both return the body of a 2xx, or a *Problem. Requests that were not answered, or answered with 429 or 503
// or with 409 because an earlier attempt still runs, are sent again after the time that the answer asks for.
func (c *Client) Get(ctx context.Context, path string) (json.RawMessage, error) {
	return c.send(ctx, http.MethodGet, path, nil, "")
}

func (c *Client) Write(ctx context.Context, method, path string, body []byte) (json.RawMessage, error) {
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		return nil, err
	}
	return c.send(ctx, method, path, body, "terraform-"+hex.EncodeToString(random))
}

func (c *Client) send(ctx context.Context, method, path string, body []byte, idempotencyKey string) (json.RawMessage, error) {
	wait := firstWait
	for attempt := 1; ; attempt++ {
		status, header, answer, err := c.once(ctx, method, path, body, idempotencyKey)
		if err == nil {
			err = problemOf(status, header, answer)
		}
		if err == nil {
			return answer, nil
		}
		if attempt == attempts || ctx.Err() != nil || !isWorthAnother(err) {
			return nil, err
		}
		if asked, ok := retryAfter(header); ok {
			wait = max(asked, 0)
		}
		if wait > longestWait {
			return nil, err
		}
		if ended := c.sleep(ctx, wait); ended != nil {
			return nil, err
		}
		wait = min(wait*2+firstWait, longestWait)
	}
}

func (c *Client) once(ctx context.Context, method, path string, body []byte, idempotencyKey string) (int, http.Header, []byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.base.String()+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, nil, err
	}
	request.Header.Set("Authorization", "Bearer "+c.key)
	request.Header.Set("User-Agent", c.agent)
	request.Header.Set("X-Service-Version", c.version)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if idempotencyKey != "" {
		request.Header.Set("Idempotency-Key", idempotencyKey)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return 0, nil, nil, &Unanswered{URL: c.base.String(), Cause: err}
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, largestAnswer+1))
	if err != nil {
		return 0, nil, nil, &Unanswered{URL: c.base.String(), Cause: err}
	}
	if len(answer) > largestAnswer {
		return 0, nil, nil, fmt.Errorf("the answer is larger than %d bytes", largestAnswer)
	}
	return response.StatusCode, response.Header, answer, nil
}

// Unanswered says that no answer came.
type Unanswered struct {
	URL   string
	Cause error
}

func (u *Unanswered) Error() string { return fmt.Sprintf("%s does not answer: %v", u.URL, u.Cause) }
func (u *Unanswered) Unwrap() error { return u.Cause }

func isWorthAnother(err error) bool {
	var unanswered *Unanswered
	if errors.As(err, &unanswered) {
		return true
	}
	var problem *Problem
	if !errors.As(err, &problem) {
		return false
	}
	return problem.Status == http.StatusTooManyRequests || problem.Status == http.StatusServiceUnavailable ||
		problem.Code == "idempotency_in_progress"
}

// retryAfter reads Retry-After, which is in whole seconds.
func retryAfter(header http.Header) (time.Duration, bool) {
	seconds, err := strconv.ParseInt(header.Get("Retry-After"), 10, 32)
	return time.Duration(seconds) * time.Second, err == nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}

func sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
