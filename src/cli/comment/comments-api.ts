/** A comment of a pull request, as its API describes it. */
export interface PostedComment {
  readonly id: number;
  readonly body: string;
  /** True if the owner of the token wrote it. */
  readonly isOwn: boolean;
  /** The page of the comment; absent if the API names none. */
  readonly url?: string;
}

/** The comments of one pull request. All methods throw ApiFailure. */
export interface CommentsApi {
  /** Returns all comments. */
  list(): Promise<readonly PostedComment[]>;
  create(body: string): Promise<PostedComment>;
  update(id: number, body: string): Promise<PostedComment>;
  remove(id: number): Promise<void>;
}

/** Returns the text of a comment as an API returned it; empty for anything else. */
export function bodyText(body: unknown): string {
  return typeof body === 'string' ? body : '';
}
