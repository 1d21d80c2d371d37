// Command apiserver runs a real kube-apiserver with an embedded etcd in one process, for tests.
//
// It listens on free loopback ports, authorizes by RBAC, knows one administrator by a static token, and writes a
// kubeconfig (whole or not at all) once /readyz answers ok. It stops cleanly on SIGTERM or SIGINT, and also when its
// standard input ends, so that it never outlives the process that started it.
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	certutil "k8s.io/client-go/util/cert"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

func main() {
	dir := flag.String("dir", "", "directory for etcd data, certificates and logs (created; the caller removes it)")
	kubeconfig := flag.String("kubeconfig", "", "where to write the kubeconfig once the server is ready")
	wait := flag.Duration("wait", 2*time.Minute, "how long to wait for /readyz")
	flag.Parse()
	if *dir == "" || *kubeconfig == "" {
		fmt.Fprintln(os.Stderr, "apiserver: --dir and --kubeconfig are required")
		os.Exit(2)
	}
	if err := run(*dir, *kubeconfig, *wait); err != nil {
		fmt.Fprintln(os.Stderr, "apiserver:", err)
		os.Exit(1)
	}
}

func run(dir, kubeconfig string, wait time.Duration) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	etcd, endpoint, err := startEtcd(filepath.Join(dir, "etcd"))
	if err != nil {
		return fmt.Errorf("etcd: %w", err)
	}
	defer etcd.Close()

	files, err := writeCredentials(dir)
	if err != nil {
		return fmt.Errorf("credentials: %w", err)
	}
	port, err := freePort()
	if err != nil {
		return err
	}
	server := fmt.Sprintf("https://127.0.0.1:%d", port)

	go func() { // the parent is gone when its end of our standard input closes
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
	}()
	go func() {
		if err := waitReady(server, files.caPEM, wait); err != nil {
			fmt.Fprintln(os.Stderr, "apiserver: not ready:", err)
			_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
			return
		}
		if err := writeKubeconfig(kubeconfig, server, files); err != nil {
			fmt.Fprintln(os.Stderr, "apiserver: kubeconfig:", err)
			_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
		}
	}()

	command := app.NewAPIServerCommand() // stops on SIGTERM and SIGINT by itself
	command.SetArgs([]string{
		"--etcd-servers=" + endpoint,
		"--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", port),
		"--cert-dir=" + dir,
		"--tls-cert-file=" + files.cert,
		"--tls-private-key-file=" + files.key,
		"--token-auth-file=" + files.tokens,
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-signing-key-file=" + files.serviceAccountKey,
		"--service-account-key-file=" + files.serviceAccountKey,
		"--service-cluster-ip-range=10.96.0.0/16",
		"--authorization-mode=RBAC",
		"--anonymous-auth=true", // RBAC gives anonymous users only /readyz, /livez, /healthz and /version
		"--endpoint-reconciler-type=none",
		"--disable-admission-plugins=ServiceAccount", // no controller makes the default account
		"--shutdown-delay-duration=0s",
		"--shutdown-send-retry-after=false",
		"--v=0",
	})
	return command.Execute()
}

func startEtcd(dir string) (*embed.Etcd, string, error) {
	config := embed.NewConfig()
	config.Dir = dir
	config.UnsafeNoFsync = true
	config.LogLevel = "error"
	config.LogOutputs = []string{dir + ".log"} // it reports each closing connection as an error when it stops
	config.QuotaBackendBytes = 4 << 30
	for _, urls := range []*[]url.URL{&config.ListenClientUrls, &config.ListenPeerUrls} {
		port, err := freePort()
		if err != nil {
			return nil, "", err
		}
		*urls = []url.URL{{Scheme: "http", Host: fmt.Sprintf("127.0.0.1:%d", port)}}
	}
	config.AdvertiseClientUrls = config.ListenClientUrls
	config.AdvertisePeerUrls = config.ListenPeerUrls
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	etcd, err := embed.StartEtcd(config)
	if err != nil {
		return nil, "", err
	}
	select {
	case <-etcd.Server.ReadyNotify():
		return etcd, config.ListenClientUrls[0].String(), nil
	case err := <-etcd.Err():
		etcd.Close()
		return nil, "", err
	case <-time.After(30 * time.Second):
		etcd.Close()
		return nil, "", errors.New("not ready after 30 s")
	}
}

type credentials struct {
	cert, key, tokens, serviceAccountKey string
	token                                string
	caPEM                                []byte
}

func writeCredentials(dir string) (credentials, error) {
	files := credentials{
		cert:              filepath.Join(dir, "server.crt"),
		key:               filepath.Join(dir, "server.key"),
		tokens:            filepath.Join(dir, "tokens.csv"),
		serviceAccountKey: filepath.Join(dir, "service-account.key"),
	}
	certPEM, keyPEM, err := certutil.GenerateSelfSignedCertKey("127.0.0.1", nil, []string{"localhost"})
	if err != nil {
		return files, err
	}
	files.caPEM = certPEM
	secret := make([]byte, 24)
	if _, err := rand.Read(secret); err != nil {
		return files, err
	}
	files.token = hex.EncodeToString(secret)
	signing, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return files, err
	}
	signingDER, err := x509.MarshalECPrivateKey(signing)
	if err != nil {
		return files, err
	}
	for path, content := range map[string][]byte{
		files.cert:              certPEM,
		files.key:               keyPEM,
		files.tokens:            []byte(files.token + `,admin,admin,"system:masters"` + "\n"),
		files.serviceAccountKey: pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: signingDER}),
	} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return files, err
		}
	}
	return files, nil
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

func waitReady(server string, ca []byte, wait time.Duration) error {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	client := &http.Client{
		Timeout:   2 * time.Second,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}},
	}
	deadline := time.Now().Add(wait)
	var last error
	for time.Now().Before(deadline) {
		answer, err := client.Get(server + "/readyz")
		if err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
			err = fmt.Errorf("/readyz answered %s", answer.Status)
		}
		last = err
		time.Sleep(50 * time.Millisecond)
	}
	return fmt.Errorf("after %s: %w", wait, last)
}

func writeKubeconfig(path, server string, files credentials) error {
	config := clientcmdapi.NewConfig()
	config.Clusters["test"] = &clientcmdapi.Cluster{Server: server, CertificateAuthorityData: files.caPEM}
	config.AuthInfos["admin"] = &clientcmdapi.AuthInfo{Token: files.token}
	config.Contexts["test"] = &clientcmdapi.Context{Cluster: "test", AuthInfo: "admin"}
	config.CurrentContext = "test"
	unfinished := path + ".new"
	if err := clientcmd.WriteToFile(*config, unfinished); err != nil {
		return err
	}
	return os.Rename(unfinished, path)
}
