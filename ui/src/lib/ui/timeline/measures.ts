// Heights in pixels. Labels and bars are drawn apart, so both read them here.

export const AXIS_PX = 36;
export const LANE_PX = 26;
export const ROW_PX = 26;
export const BAR_PX = 12;
/** Rows beyond the edges that are there before they are seen. */
export const AHEAD_ROWS = 12;
