/** The problem of a rollout that the user's rule put into a group of another one: so that it can go back. */
export const version = 3;

export const sql = `
ALTER TABLE rollout_row ADD COLUMN read_problem INTEGER REFERENCES problem_row;  -- set with read_group
`;
