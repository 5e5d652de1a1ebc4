/** Answers to the questions asked last. */
export class LastFew<Answer> {
  private readonly most: number;
  /** The one used last is the last. */
  private readonly answers = new Map<string, Answer>();

  constructor(most: number) {
    this.most = most;
  }

  of(key: string, make: () => Answer): Answer {
    const answer = this.answers.get(key) ?? make();
    this.answers.delete(key);
    this.answers.set(key, answer);
    for (const oldest of this.answers.keys()) {
      if (this.answers.size <= this.most) break;
      this.answers.delete(oldest);
    }
    return answer;
  }
}
