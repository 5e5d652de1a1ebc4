/** What cannot be exported as it was asked for; the message is for the user. */
export class ExportRefusal extends Error {}
