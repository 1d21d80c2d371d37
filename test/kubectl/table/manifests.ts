/** Objects that several scenarios begin with. */

export const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: { app: web }
spec:
  replicas: 2
  selector:
    matchLabels: { app: web }
  template:
    metadata:
      labels: { app: web }
    spec:
      containers:
        - name: nginx
          image: nginx:1.27
          ports: [{ containerPort: 80, name: http }]
          env: [{ name: MODE, value: test }]
          resources: { requests: { cpu: 100m, memory: 64Mi } }
`;

export const pod = `apiVersion: v1
kind: Pod
metadata:
  name: one
  labels: { app: one }
spec:
  containers:
    - name: main
      image: busybox
      command: [sleep, '60']
`;

export const service = `apiVersion: v1
kind: Service
metadata:
  name: web
spec:
  selector: { app: web }
  ports: [{ name: http, port: 80, targetPort: http }]
`;

export const configMaps = `apiVersion: v1
kind: ConfigMap
metadata: { name: first, labels: { tier: front, color: red } }
data: { key: value, other: text }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: second, labels: { tier: front, color: blue } }
data: { key: b }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: third, labels: { tier: back } }
data: { key: a }
`;
