/** The failure of a request to the API of GitHub or GitLab. Its message never contains the token. */
export class ApiFailure extends Error {
  /** The status of the response; absent without one. */
  readonly status: number | undefined;
  /** True if another attempt may succeed. */
  readonly isTransient: boolean;
  /** The seconds after which the server asks for another attempt. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    message: string,
    about: { readonly status?: number; readonly isTransient?: boolean; readonly retryAfterSeconds?: number | undefined } = {},
  ) {
    super(message);
    this.status = about.status;
    this.isTransient = about.isTransient === true;
    this.retryAfterSeconds = about.retryAfterSeconds;
  }
}
