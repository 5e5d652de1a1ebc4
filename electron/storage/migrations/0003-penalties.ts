/**
 * The penalties of Resample-on-Correct as computed when a rollout is read: by the release's text
 * rules, and from typed outcomes. NULL in rows that were read before; what the trainer logged
 * stays in p_err, p_format and penalty.
 */
export const version = 3;

export const sql = `
ALTER TABLE rollout_row ADD COLUMN p_err_text REAL;
ALTER TABLE rollout_row ADD COLUMN p_format_text REAL;
ALTER TABLE rollout_row ADD COLUMN p_text_source TEXT;                    -- text | reconstructed (shared/domain/penalty.ts)
ALTER TABLE rollout_row ADD COLUMN p_err_typed REAL;
ALTER TABLE rollout_row ADD COLUMN p_format_typed REAL;
`;
