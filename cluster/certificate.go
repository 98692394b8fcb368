package cluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// certificate returns the server's certificate: the given one, or else a self-signed one, made at
// the first start and kept in dir. own is true for a self-signed one: workers must then pin it by
// its fingerprint.
func certificate(dir, cert, private string) (
	c tls.Certificate, fingerprint string, own bool, err error,
) {
	if cert == "" {
		own = true
		cert, private = filepath.Join(dir, "certificate.pem"), filepath.Join(dir, "certificate.key")
		if _, err := os.Lstat(cert); errors.Is(err, fs.ErrNotExist) {
			if err := makeCertificate(cert, private); err != nil {
				return c, "", true, err
			}
		}
	}
	if c, err = tls.LoadX509KeyPair(cert, private); err != nil {
		return c, "", own, fmt.Errorf("certificate %s: %w", cert, err)
	}
	sum := sha256.Sum256(c.Certificate[0])
	return c, hex.EncodeToString(sum[:]), own, nil
}

// makeCertificate writes a new self-signed certificate and its key. Workers identify it by its
// fingerprint, so it needs no host names, and it is valid for 30 years.
func makeCertificate(cert, private string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return err
	}
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: "damier"},
		NotBefore:    time.Now().Add(-24 * time.Hour),
		NotAfter:     time.Now().AddDate(30, 0, 0),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
	}, &x509.Certificate{SerialNumber: serial, Subject: pkix.Name{CommonName: "damier"}}, &key.PublicKey, key)
	if err != nil {
		return err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	// A start that was killed may have left a key without a certificate.
	if err := os.Remove(private); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})
	if err := writeSecret(private, string(text)); err != nil {
		return err
	}
	return writeFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// pinned returns the TLS settings of a client that accepts one certificate, the one with the
// fingerprint.
func pinned(fingerprint string) (*tls.Config, error) {
	want, err := hex.DecodeString(strings.ReplaceAll(strings.TrimPrefix(fingerprint, "sha256:"), ":", ""))
	if err != nil || len(want) != sha256.Size {
		return nil, fmt.Errorf("the fingerprint %q is not 64 hexadecimal digits", fingerprint)
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS13,
		// The fingerprint replaces the check of the chain and of the host name.
		InsecureSkipVerify: true,
		VerifyConnection: func(s tls.ConnectionState) error {
			if len(s.PeerCertificates) == 0 {
				return errors.New("the server shows no certificate")
			}
			got := sha256.Sum256(s.PeerCertificates[0].Raw)
			if got != [sha256.Size]byte(want) {
				return fmt.Errorf("%w: it has %s, but %s is expected: another machine answers, or the server has "+
					"a new certificate; compare with the line that train prints",
					errFingerprint, hex.EncodeToString(got[:]), fingerprint)
			}
			return nil
		},
	}, nil
}

var errFingerprint = errors.New("the server's certificate has another fingerprint")
