/** What a message is to its recipient. */

/** What an actor may send. */
export const SENT_KINDS = ["note", "request", "reply"] as const;
export type SentKind = (typeof SENT_KINDS)[number];

/** `alarm` comes from the owner alone. */
export const MESSAGE_KINDS = [...SENT_KINDS, "alarm"] as const;
export type MessageKind = (typeof MESSAGE_KINDS)[number];
