package main

import (
	"context"
	"fmt"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/utils/ptr"
)

// election has two candidates: the first leads, and releases; then the second leads.
func (run session) election() {
	led := make(chan string, 10)
	candidate := func(ctx context.Context, identity string) {
		lock, err := resourcelock.New(resourcelock.LeasesResourceLock, run.namespace, "leader", run.client.CoreV1(), run.client.CoordinationV1(), resourcelock.ResourceLockConfig{Identity: identity})
		if err != nil {
			show("lock", nil, err)
			return
		}
		leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
			Lock: lock, LeaseDuration: 6 * time.Second, RenewDeadline: 4 * time.Second, RetryPeriod: 200 * time.Millisecond, ReleaseOnCancel: true,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) { led <- identity + " leads" },
				OnStoppedLeading: func() {},
			},
		})
		led <- identity + " ended"
	}
	first, endFirst := context.WithCancel(run)
	second, endSecond := context.WithCancel(run)
	go candidate(first, "first")
	show("election", <-led, nil)
	go candidate(second, "second")
	time.Sleep(500 * time.Millisecond)
	lease, err := run.client.CoordinationV1().Leases(run.namespace).Get(run, "leader", metav1.GetOptions{})
	if err != nil {
		show("lease", nil, err)
	} else {
		show("lease", fmt.Sprint(*lease.Spec.HolderIdentity, *lease.Spec.LeaseDurationSeconds, lease.Spec.RenewTime.Nanosecond()%1000), nil)
	}
	endFirst()
	show("election", <-led, nil)
	show("election", <-led, nil)
	endSecond()
	show("election", <-led, nil)
}

// reviews asks about users and their rights, and for a token.
func (run session) reviews() {
	options := metav1.CreateOptions{}
	self, err := run.client.AuthenticationV1().SelfSubjectReviews().Create(run, &authenticationv1.SelfSubjectReview{}, options)
	show("SelfSubjectReview", self.Status.UserInfo.Username, err)
	attributes := &authorizationv1.ResourceAttributes{Namespace: run.namespace, Verb: "get", Resource: "pods"}
	access, err := run.client.AuthorizationV1().SubjectAccessReviews().Create(run, &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: "jane", Groups: []string{"system:authenticated"}, ResourceAttributes: attributes, Extra: map[string]authorizationv1.ExtraValue{"scope": {"a", "b"}},
	}}, options)
	show("SubjectAccessReview", []any{access.Spec, access.Status}, err)
	own, err := run.client.AuthorizationV1().SelfSubjectAccessReviews().Create(run, &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: attributes}}, options)
	show("SelfSubjectAccessReview", own.Status.Allowed, err)
	_, err = run.client.AuthorizationV1().SubjectAccessReviews().Create(run, &authorizationv1.SubjectAccessReview{}, options)
	show("SubjectAccessReview of nobody", nil, err)
	account, err := run.client.CoreV1().ServiceAccounts(run.namespace).Create(run, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "token"}}, options)
	if err != nil {
		show("ServiceAccount", nil, err)
		return
	}
	token, err := run.client.CoreV1().ServiceAccounts(run.namespace).CreateToken(run, account.Name, &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: ptr.To(int64(900))}}, options)
	show("TokenRequest", []any{token.Spec, token.Status.Token != "", token.Status.ExpirationTimestamp.After(time.Now())}, err)
	review, err := run.client.AuthenticationV1().TokenReviews().Create(run, &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token.Status.Token}}, options)
	show("TokenReview", []any{review.Status.Authenticated, review.Status.User.Username, review.Status.Audiences}, err)
}

// failures are errors that programs recognize.
func (run session) failures() {
	configs := run.client.CoreV1().ConfigMaps(run.namespace)
	_, err := configs.Get(run, "absent", metav1.GetOptions{})
	show("get absent", nil, err)
	_, err = configs.Create(run, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "page-0"}}, metav1.CreateOptions{})
	show("create twice", nil, err)
	_, err = configs.Create(run, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "Not_A_Name"}}, metav1.CreateOptions{})
	show("create invalid name", nil, err)
	broken := deployment("broken")
	broken.Spec.Template.Labels = map[string]string{"app": "other"}
	broken.Spec.Replicas = ptr.To(int32(-1))
	_, err = run.client.AppsV1().Deployments(run.namespace).Create(run, broken, metav1.CreateOptions{})
	show("create invalid", nil, err)
	_, err = configs.List(run, metav1.ListOptions{LabelSelector: "not a selector!"})
	show("list with a wrong selector", apierrors.IsBadRequest(err), nil)
	_, err = run.client.CoreV1().ConfigMaps("absent").Create(run, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "x"}}, metav1.CreateOptions{})
	show("create in absent namespace", nil, err)
	show("delete namespace", "ok", run.client.CoreV1().Namespaces().Delete(run, run.namespace, metav1.DeleteOptions{}))
}
